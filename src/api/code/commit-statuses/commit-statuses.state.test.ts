import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMove } from './commit-statuses.state.ts';

test('a status moves forward only, and ends for good', () => {
  for (const to of ['success', 'failed', 'canceled'] as const) {
    for (const from of ['created', 'pending', 'running'] as const) checkMove(from, to);
    for (const from of ['success', 'failed', 'canceled', 'skipped'] as const) {
      assert.throws(() => checkMove(from, to), { status: 400 }, `${from} ${to}`);
    }
  }
  checkMove('pending', 'running');
  assert.throws(() => checkMove('running', 'pending'), { status: 400 });
});
