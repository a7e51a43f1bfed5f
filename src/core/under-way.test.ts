import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnderWay } from './under-way.ts';

test('what has begun by a moment is waited for, what begins later is not', () => {
  const underWay = new UnderWay();
  assert.equal(underWay.hasEnded(underWay.now()), true);
  const [one, two] = [underWay.begin(), underWay.begin()];
  const moment = underWay.now();
  const three = underWay.begin();
  two();
  assert.equal(underWay.hasEnded(moment), false);
  one();
  one();
  assert.equal(underWay.hasEnded(moment), true);
  assert.equal(underWay.hasEnded(underWay.now()), false);
  three();
  assert.equal(underWay.hasEnded(underWay.now()), true);
});
