import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GitFixture, gitFixture } from '../../test/support/git-fixture.ts';
import { randomHistory, randomNumbers } from '../../test/support/random-history.ts';
import { blame } from './blame.ts';
import { writeWholeGraph } from './commit-graph/write.ts';
import { fileHistory } from './history/file-history.ts';

/** Git's blame, an id for each line. */
function expected(git: GitFixture['git'], commit: string, path: string): string[] {
  const lines = git(['blame', '--line-porcelain', commit, '--', path]).split('\n');
  return lines
    .filter((_, nth) => nth === 0 || lines[nth - 1]!.startsWith('\t'))
    .map((line) => line.slice(0, line.indexOf(' ')))
    .filter(Boolean);
}

test('generated histories, whoever changed a line, with paths that come and go, and become others', async (t) => {
  const fixture = gitFixture(t);
  const { dir, git, pool } = fixture;
  let asked = 0;
  let within = 0;
  for (const seed of [1, 2, 3]) {
    const { input, paths } = randomHistory(randomNumbers(seed), { commits: 60, skewed: seed === 2 });
    git(['fast-import', '--quiet', '--force', '--date-format=raw-permissive'], input);
    await writeWholeGraph(dir);
    const repo = pool.get(`seed ${seed}`, dir);
    for (const commit of git(['rev-list', '--all']).split('\n')) {
      const files = git(['-c', 'core.quotePath=false', 'ls-tree', '-r', '-z', '--name-only', commit])
        .split('\0')
        .filter(Boolean);
      for (const path of files.filter((each) => paths.includes(each)).slice(0, 4)) {
        const { ranges } = await blame(repo, commit, path);
        assert.deepEqual(
          ranges.flatMap(({ oid, lines }) => lines.map(() => oid)),
          expected(git, commit, path),
          `${path} in ${commit}`,
        );
        asked += 1;
        within += Number((await fileHistory(repo.history, commit, path)) !== undefined);
      }
    }
  }
  assert.ok(within > asked / 3, `${within} of ${asked}`);
});
