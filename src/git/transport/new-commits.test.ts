import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { data, quote } from '../../../test/support/fast-import.ts';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { GitError } from '../common/index.ts';
import { newCommitObjects } from './new-commit-objects.ts';
import { type NewCommit, type NewCommitOrFile, type NewFile, newCommits } from './new-commits.ts';

const all: GitRepository[] = [];
let git: GitRepository;
beforeEach(() => {
  git = new GitRepository();
  all.push(git);
});
after(() => {
  for (const each of all) each.close();
});

/** Commits, on no branch, what the lines for git-fast-import say. @returns the ids, the first one first */
function loose(...commits: { mark: number; message: string; from?: number[]; files?: string[]; author?: string }[]) {
  const lines = commits.flatMap(({ mark, message, from = [], files = [], author = 'Ada <ada@example.com>' }) => [
    'commit refs/loose',
    `mark :${mark}`,
    `author ${author} 1700000000 +0000`,
    'committer Bo <bo@example.com> 1700000000 +0000',
    data(message),
    ...from.map((parent, at) => `${at === 0 ? 'from' : 'merge'} :${parent}`),
    ...files,
  ]);
  const asked = commits.map(({ mark }) => `get-mark :${mark}`);
  const input = `feature done\n${[...lines, ...asked].join('\n')}\ndone\n`;
  const oids = git.bytes(['fast-import', '--quiet', '--force'], { input }).toString().trim().split('\n');
  git.git('update-ref', '-d', 'refs/loose');
  return oids;
}
const file = (path: string, content = 'x') => `M 100644 inline ${quote(path)}\n${data(content)}`;
const read = async (heads: readonly string[], { files = true, known = [] as string[] } = {}) => {
  const entries: NewCommitOrFile[] = [];
  for await (const things of newCommits(git.repo, heads, { env: {}, known, files })) entries.push(...things);
  return entries;
};
const commitsOf = (things: NewCommitOrFile[]) => things.filter((thing): thing is NewCommit => thing.kind === 'commit');
const filesOf = (things: NewCommitOrFile[], oid: string) =>
  things
    .filter((thing): thing is NewFile => thing.kind === 'file' && thing.commit === oid)
    .map(({ path, added }) => `${path}${added ? '' : ' changed'}`)
    .sort();

test('tells commits with their people, messages and files, whatever these are called', async () => {
  const odd = ['plain', ':100644 000000 x', 'a\nb', 'é\u00a0"', ' ', 'd/e/f'];
  const [first = '', second = '', empty = ''] = loose(
    { mark: 1, message: ':odd\n\n:100644 line\n', files: odd.map((path) => file(path)) },
    { mark: 2, message: '', from: [1], files: [file('plain', 'y'), 'D d/e/f', file('new')], author: '<>' },
    { mark: 3, message: 'none\n', from: [2] },
  );
  const things = await read([empty]);
  assert.deepEqual(
    commitsOf(things).map(({ oid, authorName, authorEmail, committerName, message, messageLength }) => [
      oid,
      authorName,
      authorEmail,
      committerName,
      message,
      messageLength,
    ]),
    [
      [empty, 'Ada', 'ada@example.com', 'Bo', 'none\n', 5],
      [second, '', '', 'Bo', '', 0],
      [first, 'Ada', 'ada@example.com', 'Bo', ':odd\n\n:100644 line\n', 19],
    ],
  );
  assert.deepEqual(filesOf(things, first), [...odd].sort());
  assert.deepEqual(filesOf(things, second), ['new', 'plain changed']);
  assert.deepEqual(filesOf(things, empty), []);
  assert.deepEqual(commitsOf(await read([empty], { files: false })), commitsOf(things));
});

test('of a merge tells the files that are so in no parent, and no submodules', async () => {
  const oids = loose(
    { mark: 1, message: 'base', files: [file('a'), file('b')] },
    { mark: 2, message: 'left', from: [1], files: [file('left'), file('a', 'left')] },
    { mark: 3, message: 'right', from: [1], files: [file('right'), file('a', 'right')] },
    {
      mark: 4,
      message: 'merge',
      from: [2, 3],
      files: [file('right'), file('a', 'both'), file('evil'), `M 160000 ${'1'.repeat(40)} module`],
    },
  );
  const things = await read([oids[3]!]);
  assert.deepEqual(filesOf(things, oids[3]!), ['a changed', 'evil']);
});

test('what branches, tags and known commits lead to is not new', async () => {
  const [one = '', two = '', three = '', four = ''] = loose(
    { mark: 1, message: '1' },
    { mark: 2, message: '2', from: [1] },
    { mark: 3, message: '3', from: [2] },
    { mark: 4, message: '4', from: [3] },
  );
  const newOids = async (known: string[] = []) => commitsOf(await read([four, four], { known })).map(({ oid }) => oid);
  assert.deepEqual(await newOids(), [four, three, two, one]);
  git.git('update-ref', 'refs/merge-requests/1/head', three);
  assert.deepEqual(await newOids(), [four, three, two, one]);
  git.git('tag', '-a', '-m', 'x', 'v1', one);
  assert.deepEqual(await newOids(), [four, three, two]);
  assert.deepEqual(await newOids([two]), [four, three]);
  git.git('update-ref', 'refs/heads/main', three);
  assert.deepEqual(await newOids(), [four]);
  git.git('update-ref', 'refs/heads/main', four);
  assert.deepEqual(await newOids(), []);
});

test('heads that are no commits bring nothing; one that is missing, or no id, is told', async () => {
  const [oid] = loose({ mark: 1, message: 'x', files: [file('a')] });
  const blob = git.git('rev-parse', `${oid}:a`);
  assert.deepEqual(await read([blob, git.git('rev-parse', `${oid}^{tree}`)]), []);
  await assert.rejects(read(['1'.repeat(40)]), (error: GitError) => /bad object/.test(error.message));
  await assert.rejects(read(['main']), (error: GitError) => error.code === 'invalid');
});

test('commits come as they are stored, those that are long too, and a reader may leave early', async () => {
  const long = 'x'.repeat(300_000);
  const oids = loose(
    { mark: 1, message: 'first' },
    { mark: 2, message: long, from: [1] },
    { mark: 3, message: 'last', from: [2] },
  );
  const textByOid = new Map<string, string>();
  for await (const commits of newCommitObjects(git.repo, [oids[2]!], { env: {}, known: [] })) {
    for (const { oid, data } of commits) textByOid.set(oid, data!.toString());
  }
  assert.deepEqual([...textByOid.keys()].sort(), [...oids].sort());
  for (const [oid, text] of textByOid) assert.equal(text, git.bytes(['cat-file', 'commit', oid]).toString());
  for await (const [commit] of newCommitObjects(git.repo, [oids[2]!], { env: {}, known: [] })) {
    assert.equal(commit?.oid, oids[2]);
    break;
  }
  const bad = async () => {
    for await (const _ of newCommitObjects(git.repo, ['1'.repeat(40)], { env: {}, known: [] }));
  };
  await assert.rejects(bad(), (error: unknown) => error instanceof GitError && error.code === 'failed');
});
