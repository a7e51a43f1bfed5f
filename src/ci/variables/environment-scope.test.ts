import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inEnvironment } from './environment-scope.ts';

const stored = ['*', 'review/*', 'prod*', 'production', 'review/$x'].map((environmentScope) => ({
  key: environmentScope,
  value: '',
  environmentScope,
}));
const keys = (environment: string | null) => inEnvironment(stored, environment).map(({ key }) => key);

test('a job has the variables of the environments that its own falls under, in their order', () => {
  assert.deepEqual(keys('production'), ['*', 'prod*', 'production']);
  assert.deepEqual(keys('review/a/b'), ['*', 'review/*']);
  assert.deepEqual(keys('Production'), ['*']);
  assert.deepEqual(keys(null), ['*']);
});
