import assert from 'node:assert/strict';
import { test } from 'node:test';
import { data } from '../../../test/support/fast-import.ts';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { askBoth, GRAPHS, generateHistory, INDEXED } from '../../../test/support/history-questions.ts';
import { listCommits } from './log.ts';

for (const [at, graph] of GRAPHS.entries()) {
  for (const [nth, indexed] of INDEXED.entries()) {
    const skewed = (at + nth) % 2 === 1;
    const clocks = skewed ? 'wrong clocks' : 'right clocks';
    test(`random questions get git's answers, ${clocks}, graph: ${graph}, path index: ${indexed}`, async (t) => {
      const shape = { seed: 100 * at + nth, graph, indexed, skewed, commits: 60 };
      const made = await generateHistory(gitFixture(t), shape);
      assert.deepEqual(await askBoth(made, 5), []);
    });
  }
}

test('a commit that two lines lead to is listed once, whatever the clocks say', async (t) => {
  const { git, repo } = gitFixture(t);
  const commit = (branch: string, time: number, from: string, path: string) =>
    `commit refs/heads/${branch}\ncommitter A <a@example.com> ${time} +0000\n${data(path)}\n${from}M 644 inline ${path}\n${data('1')}\n`;
  const lines = [
    commit('main', 1_000, '', 'a'),
    commit('main', 1_001, '', 'b'),
    commit('one', 2_000, 'from refs/heads/main\n', 'c'),
    commit('two', 500, 'from refs/heads/main\n', 'd'),
  ];
  git(['fast-import', '--quiet'], lines.join(''));
  git(['commit-graph', 'write', '--reachable', '--changed-paths']);
  const from = git(['rev-parse', 'one', 'two']).split('\n');
  const expected = git(['rev-list', ...from, '--', 'a']).split('\n');
  assert.deepEqual(await listCommits(repo, { from, path: 'a', limit: 10 }), expected);
});
