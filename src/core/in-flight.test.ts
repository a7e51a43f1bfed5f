import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlight } from './in-flight.ts';

test('what has begun by a moment is waited for, what begins later is not', () => {
  const underWay = new InFlight();
  assert.equal(underWay.hasDrained(underWay.currentEpoch()), true);
  const [one, two] = [underWay.begin(), underWay.begin()];
  const moment = underWay.currentEpoch();
  const three = underWay.begin();
  two();
  assert.equal(underWay.hasDrained(moment), false);
  one();
  one();
  assert.equal(underWay.hasDrained(moment), true);
  assert.equal(underWay.hasDrained(underWay.currentEpoch()), false);
  three();
  assert.equal(underWay.hasDrained(underWay.currentEpoch()), true);
});
