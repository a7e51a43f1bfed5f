import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { turnsDuring } from '../../../../test/support/turns.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const lines = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `${text(n)}\n`).join('');

/** A file whose lines alternate between two commits, the second one with a message. */
async function blamed(count: number, message: string) {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': lines(count, () => 'old') });
  git.commit('main', { 'a.txt': lines(count, (n) => (n % 2 === 0 ? 'old' : `new ${n}`)) }, { message });
  const url = `/projects/${project.id}/repository/files/a.txt/blame`;
  return (query: Record<string, unknown>) => app.get(url, { query: { ref: 'main', ...query } });
}

describe('a large blame', () => {
  test('is answered whole, and others have their turn', async () => {
    const ask = await blamed(40_000, 'Changed\n');
    let ranges: { commit: { message: string }; lines: string[] }[] = [];
    const turns = await turnsDuring(async () => {
      ranges = expectStatus(await ask({}), 200);
    });
    assert.equal(ranges.length, 40_000);
    assert.deepEqual(ranges[39_999]!.lines, ['new 39999']);
    assert.equal(ranges[39_999]!.commit.message, 'Changed\n');
    assert.ok(turns > 50, `${turns} turns`);
  });

  test('that tells of a long message too often is refused, but for a range', async () => {
    const ask = await blamed(400, `${'x'.repeat(1_000_000)}\n`);
    assert.match(expectStatus<{ message: string }>(await ask({}), 503).message, /more work than is allowed/);
    const some = expectStatus<unknown[]>(await ask({ 'range[start]': 1, 'range[end]': 4 }), 200);
    assert.equal(some.length, 4);
  });
});
