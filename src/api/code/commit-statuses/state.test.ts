import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMove, combinedState, type State } from './state.ts';

test('the states of statuses combine to that of their pipeline', () => {
  const cases: [State[], State][] = [
    [[], 'created'],
    [['skipped'], 'skipped'],
    [['success', 'skipped'], 'success'],
    [['canceled', 'success'], 'canceled'],
    [['pending', 'skipped'], 'pending'],
    [['pending', 'success'], 'running'],
    [['running', 'failed'], 'running'],
    [['failed', 'canceled'], 'failed'],
    [['failed', 'success'], 'failed'],
  ];
  for (const [states, combined] of cases) assert.equal(combinedState(states), combined, states.join());
});

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
