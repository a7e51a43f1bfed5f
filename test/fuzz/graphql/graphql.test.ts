import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzGraphql } from './run-graphql.ts';

/** Fewer than a whole run asks. */
const QUESTIONS = 30;

test('hostile questions in GraphQL cost little and break nothing', async () => {
  assert.deepEqual(await fuzzGraphql(7, QUESTIONS), { requests: QUESTIONS, failures: [] });
});
