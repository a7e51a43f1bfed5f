import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopesOf } from './unleash.rules.ts';

test('the scopes of a project that has very many leave others their turn', async () => {
  const scopes = Array.from({ length: 70_000 }, (_, number) => `*a*${number}b*`);
  scopes.push('*');
  let turns = 0;
  let looking = true;
  const count = () => {
    turns += 1;
    if (looking) setImmediate(count);
  };
  setImmediate(count);
  const fitting = await scopesOf({ scopes }, `${'a'.repeat(200)}7b`);
  looking = false;
  assert.deepEqual(fitting, [7, 70_000]);
  assert.ok(turns >= 60, `${turns} turns`);
});
