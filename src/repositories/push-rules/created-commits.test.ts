import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { type NewCommitOrFile, newCommits } from '../../git/transport/index.ts';
import { readCreatedCommits } from './created-commits.ts';

let git: GitRepository;
before(() => {
  git = new GitRepository();
});
after(() => git.close());

const sorted = (things: readonly NewCommitOrFile[]) => things.map((thing) => JSON.stringify(thing)).sort();

/** What git tells, and that the same is found without it. */
async function same(head: string, made: readonly string[]): Promise<void> {
  const fromGit: NewCommitOrFile[] = [];
  for await (const things of newCommits(git.repo, [head], { env: {}, known: [], files: true })) fromGit.push(...things);
  const withoutGit = await readCreatedCommits(git.repo, [head], made, true);
  assert.deepEqual(withoutGit && sorted(withoutGit), sorted(fromGit));
}

/** A commit with these files on top of others. */
function make(files: Record<string, string>, ...parents: string[]): string {
  git.git('read-tree', ...(parents.length === 0 ? ['--empty'] : [parents[0]!]));
  for (const [path, content] of Object.entries(files)) {
    const blob = git.bytes(['hash-object', '-w', '--stdin'], { input: content }).toString().trim();
    git.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  }
  const tree = git.git('write-tree');
  return git.git('commit-tree', '-m', 'made\n\nbody', ...parents.flatMap((parent) => ['-p', parent]), tree);
}

test('what the server made alone is told as git tells it, and nothing is guessed where there may be more', async () => {
  const root = make({ a: '1', 'd/b': '1' });
  await same(root, [root]);
  git.git('update-ref', 'refs/heads/main', root);
  await same(root, []);
  const next = make({ a: '2', 'd/c': '1', 'e/f/g': '1' }, root);
  await same(next, [next]);
  const left = make({ left: '1', a: 'left' }, root);
  const right = make({ right: '1', a: 'right' }, root);
  git.git('update-ref', 'refs/heads/left', left);
  git.git('update-ref', 'refs/heads/right', right);
  const merge = make({ right: '1', a: 'both', evil: '1' }, left, right);
  await same(merge, [merge]);
  assert.equal(await readCreatedCommits(git.repo, [next], [], true), null);
  const later = make({ h: '1' }, next);
  assert.equal(await readCreatedCommits(git.repo, [later], [later], true), null);
  assert.equal(await readCreatedCommits(git.repo, ['1'.repeat(40)], ['1'.repeat(40)], true), null);
});
