import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzBodies } from './run-bodies.ts';

test('bodies of too many keys, values and parts cost little and break nothing', async () => {
  assert.deepEqual(await fuzzBodies(7, 30), []);
});
