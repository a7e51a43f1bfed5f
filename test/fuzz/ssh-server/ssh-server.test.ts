import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzSshServer } from './run-ssh-server.ts';

test('a good client of SSH is served beside 200 that never sign in, of which nothing is left', async () => {
  assert.deepEqual(await fuzzSshServer(20_261_128, 3), []);
});
