import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileValidators } from './file-validators.ts';

test('observations hold while each of them does', () => {
  const observations = new FileValidators();
  assert.equal(observations.areCurrent(), true);
  let same = true;
  observations.add(() => true);
  observations.add(() => same);
  assert.equal(observations.areCurrent(), true);
  same = false;
  assert.equal(observations.areCurrent(), false);
});

test('observations that cannot be made again, or are too many, hold no more', () => {
  const failing = new FileValidators();
  failing.add(() => {
    throw new Error('gone');
  });
  assert.equal(failing.areCurrent(), false);
  const many = new FileValidators();
  for (let n = 0; n < 20; n += 1) many.add(() => true);
  assert.equal(many.areCurrent(), true);
  for (let n = 0; n < 1_000; n += 1) many.add(() => true);
  assert.equal(many.areCurrent(), false);
});
