import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { buildTestApp, expectStatus } from '../../../test/support/app.ts';

const PAGE = resolve(import.meta.dirname, '../../../docs/testing.md');

test('the seed of the page on testing does what the page tells', async () => {
  const [, seed] = /```yaml\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8'))!;
  const app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  try {
    const body = seed!;
    const report = await app.post('/-/bench/seed', { body, headers: { 'content-type': 'application/yaml' } });
    const { made } = expectStatus<{ made: Record<string, number> }>(report, 201);
    assert.deepEqual([made.users, made.issues, made.merge_requests, made.pipelines], [2, 100, 1, 1]);
    const issues = await app.get('/projects/acme%2Fweb/issues?per_page=1', { token: 'glpat-ada' });
    assert.equal(expectStatus<{ title: string }[]>(issues, 200)[0]!.title, 'Idea 100');
  } finally {
    await app.close();
  }
});
