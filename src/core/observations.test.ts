import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Observations } from './observations.ts';

test('observations hold while each of them does', () => {
  const observations = new Observations();
  assert.equal(observations.stillHold(), true);
  let same = true;
  observations.note(() => true);
  observations.note(() => same);
  assert.equal(observations.stillHold(), true);
  same = false;
  assert.equal(observations.stillHold(), false);
});

test('observations that cannot be made again, or are too many, hold no more', () => {
  const failing = new Observations();
  failing.note(() => {
    throw new Error('gone');
  });
  assert.equal(failing.stillHold(), false);
  const many = new Observations();
  for (let n = 0; n < 20; n += 1) many.note(() => true);
  assert.equal(many.stillHold(), true);
  for (let n = 0; n < 1_000; n += 1) many.note(() => true);
  assert.equal(many.stillHold(), false);
});
