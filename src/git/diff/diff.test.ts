import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { decodeBytes } from '../common/index.ts';
import { commitDiff, diffTrees } from './diff.ts';
import type { FileDiff } from './diff-result.ts';
import { commitStats, statsOf } from './diff-stats.ts';

let git: GitRepository;
let root: string;
let head: string;
const odd = [
  'na\tme"x',
  'new\nline',
  'sp ace',
  'back\\slash',
  '"quoted"',
  'umlaut-\u00fc',
  'diff --git a b/x',
  '-dash',
];
const latin1 = Buffer.from('caf\xe9', 'latin1');

before(() => {
  git = new GitRepository();
  for (const name of odd) git.write(name, `a ${name}\nb\n`);
  git.write(latin1, 'x\n');
  git.write('crlf', 'one\r\ntwo\r\n');
  git.write('latin1', Buffer.from('gr\xfc\xdfe\n', 'latin1'));
  git.write('mode', '#!/bin/sh\n');
  git.write('old name', `${Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')}\n`);
  git.write('gone', 'bye\n');
  git.write('binary', Buffer.from([0, 1, 2, 3]));
  git.write('spaces', 'a b\n');
  git.write('zz-last', 'z\n');
  symlinkSync('target', join(git.dir, 'link'));
  symlinkSync('target', join(git.dir, 'becomes-file'));
  root = git.commit('root');
  for (const name of odd) git.write(name, `a ${name}\nc\n-- not a header\n`);
  git.write(latin1, 'y');
  git.write('crlf', 'one\r\nzwei\r\n');
  git.write('latin1', Buffer.from('gr\xfc\xdfe!\n', 'latin1'));
  chmodSync(join(git.dir, 'mode'), 0o755);
  git.git('mv', 'old name', 'new name');
  rmSync(join(git.dir, 'gone'));
  git.write('binary', Buffer.from([0, 1, 2, 4]));
  git.write('spaces', 'a  b\n');
  git.write('zz-last', 'zz\n');
  for (const name of ['link', 'becomes-file']) rmSync(join(git.dir, name));
  symlinkSync('elsewhere', join(git.dir, 'link'));
  git.write('becomes-file', 'now a file\n');
  mkdirSync(join(git.dir, 'submodule'));
  git.git('update-index', '--add', '--cacheinfo', `160000,${root},submodule`);
  head = git.commit('all kinds of changes');
});
after(() => git.close());

function find(files: readonly FileDiff[], path: string): FileDiff {
  const file = files.find(({ newPath }) => newPath === path);
  assert.ok(file, path);
  return file;
}

/** Git's own patch of one file, from its first hunk; of the file in Latin-1 decoded as such. */
function hunks(from: string, to: string, path: string, ...args: string[]): string {
  const patch = git.bytes(['--literal-pathspecs', 'diff', '--no-renames', ...args, from, to, '--', path]);
  const text = patch.toString(path === 'latin1' ? 'latin1' : 'utf8');
  return text.slice(text.indexOf('\n@@') + 1);
}

test('every name, plain or odd, has its own patch as git prints it', async () => {
  const { files, overflow, changedFiles } = await commitDiff(git.repo, head);
  assert.equal(overflow, false);
  assert.equal(changedFiles, files.length);
  for (const name of [...odd, 'crlf', 'latin1', 'link', 'gone', 'zz-last', 'spaces']) {
    const file = find(files, name);
    assert.equal(file.diff, hunks(root, head, name), name);
    assert.equal(file.oldPath, name);
    assert.ok(file.diff.startsWith('@@'));
  }
  assert.equal(find(files, 'caf\udce9').diff, '@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n');
});

test('flags, modes and counts', async () => {
  const { files } = await commitDiff(git.repo, head);
  const pick = ({ aMode, bMode, newFile, renamedFile, deletedFile, additions, deletions }: FileDiff) =>
    [aMode, bMode, newFile, renamedFile, deletedFile, additions, deletions].join(' ');
  assert.equal(pick(find(files, '-dash')), '100644 100644 false false false 2 1');
  assert.equal(pick(find(files, 'gone')), '100644 0 false false true 0 1');
  assert.equal(pick(find(files, 'mode')), '100644 100755 false false false 0 0');
  assert.equal(find(files, 'mode').diff, '');
  assert.equal(pick(find(files, 'new name')), '100644 100644 false true false 0 0');
  assert.equal(find(files, 'new name').oldPath, 'old name');
  assert.equal(pick(find(files, 'submodule')), '0 160000 true false false 1 0');
  assert.equal(find(files, 'submodule').diff, `@@ -0,0 +1 @@\n+Subproject commit ${root}\n`);
  assert.equal(pick(find(files, 'link')), '120000 120000 false false false 1 1');
  const changed = files.filter(({ newPath }) => newPath === 'becomes-file').map(pick);
  assert.deepEqual(changed, ['120000 0 false false true 0 1', '0 100644 true false false 1 0']);
});

test('binary files give the line that git prints', async () => {
  const { files } = await commitDiff(git.repo, head);
  const file = find(files, 'binary');
  assert.equal(file.binary, true);
  assert.equal(file.diff, 'Binary files a/binary and b/binary differ\n');
});

test('a root commit is compared with the empty tree', async () => {
  const { files } = await commitDiff(git.repo, root);
  assert.equal(files.length, git.lines('ls-tree', '-r', '--name-only', root).length);
  assert.ok(files.every((file) => file.newFile && file.aMode === '0' && /^0+$/.test(file.oldOid)));
});

test('a merge is compared with its first parent', async () => {
  git.git('checkout', '--quiet', '-b', 'other', root);
  git.write('from-other', '1\n2\n');
  git.commit('other');
  git.git('checkout', '--quiet', 'main');
  const merge = git.merge('other');
  const { files } = await commitDiff(git.repo, merge);
  assert.deepEqual(
    files.map(({ newPath }) => newPath),
    ['from-other'],
  );
  assert.deepEqual(await commitStats(git.repo, merge), { additions: 2, deletions: 0 });
});

test('files without a patch do not shift the patches of others', async () => {
  const { files } = await diffTrees(git.repo, root, head, { ignoreWhitespace: true });
  assert.equal(find(files, 'spaces').diff, '');
  assert.equal(find(files, 'umlaut-\u00fc').diff, hunks(root, head, 'umlaut-\u00fc'));
  assert.equal(find(files, 'zz-last').diff, hunks(root, head, 'zz-last'));
});

test('paths and context', async () => {
  const { files } = await diffTrees(git.repo, root, head, { paths: ['-dash', 'new\nline', '*'], context: 0 });
  assert.deepEqual(files.map(({ newPath }) => newPath).sort(), ['-dash', 'new\nline']);
  assert.equal(find(files, '-dash').diff, hunks(root, head, '-dash', '--unified=0'));
  assert.deepEqual((await diffTrees(git.repo, root, head, { paths: ['../x'] })).files, []);
  assert.deepEqual((await diffTrees(git.repo, root, root)).files, []);
});

test('limits: too large, collapsed, and cut short', async () => {
  for (const name of ['1', '2', '3', '4']) git.write(`size/${name}`, `${'x'.repeat(99)}\n`.repeat(Number(name) * 10));
  git.write('size/5', 'y'.repeat(500_000));
  const commit = git.commit('sizes');
  const all = await commitDiff(git.repo, commit);
  assert.deepEqual(
    all.files.map((file) => [file.tooLarge, file.diff === '', file.additions]),
    [
      [false, false, 10],
      [false, false, 20],
      [false, false, 30],
      [false, false, 40],
      [true, true, 1],
    ],
  );
  const small = await commitDiff(git.repo, commit, { maxPatchBytes: 2_500 });
  assert.deepEqual(
    small.files.map((file) => file.tooLarge),
    [false, false, true, true, true],
  );
  const collapsed = await commitDiff(git.repo, commit, { maxPatchBytes: 25_000, expanded: false });
  assert.deepEqual(
    collapsed.files.map((file) => [file.collapsed, file.diff === '']),
    [
      [false, false],
      [false, false],
      [true, true],
      [true, true],
      [false, true],
    ],
  );
  const few = await commitDiff(git.repo, commit, { maxFiles: 2 });
  assert.deepEqual([few.files.length, few.overflow, few.changedFiles], [2, true, 5]);
  const lines = await commitDiff(git.repo, commit, { maxLines: 40 });
  assert.deepEqual([lines.files.length, lines.overflow], [2, true]);
  const bytes = await commitDiff(git.repo, commit, { maxBytes: 3_500 });
  assert.deepEqual([bytes.files.length, bytes.overflow], [2, true]);
});

test('stats agree with git for every commit, in one call and one by one', async () => {
  git.commit('empty');
  const oids = git.lines('rev-list', '--all');
  const stats = await statsOf(git.repo, [...oids, oids[0]!]);
  assert.equal(stats.size, oids.length);
  for (const oid of oids) {
    const [parent = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'] = git.lines('rev-parse', `${oid}^@`);
    const sums = [0, 0];
    for (const line of git.lines('diff', '--numstat', parent, oid)) {
      const [added = '', deleted = ''] = line.split('\t');
      sums[0]! += Number(added) || 0;
      sums[1]! += Number(deleted) || 0;
    }
    assert.deepEqual(stats.get(oid), { additions: sums[0], deletions: sums[1] }, oid);
    assert.deepEqual(await commitStats(git.fresh('single'), oid), stats.get(oid));
  }
});

test('refuses what is no complete id', async () => {
  await assert.rejects(diffTrees(git.repo, '--no-index', '/etc/passwd'), { code: 'invalid' });
  await assert.rejects(diffTrees(git.repo, null, '-O/some/file'), { code: 'invalid' });
  await assert.rejects(statsOf(git.repo, ['--output=x']), { code: 'invalid' });
  await assert.rejects(commitDiff(git.repo, 'a'.repeat(40)), { code: 'not_found' });
  await assert.rejects(diffTrees(git.repo, null, 'a'.repeat(40)), { code: 'failed' });
});

test('names of arbitrary bytes come back as they are', async () => {
  const blob = git.bytes(['hash-object', '-w', '--stdin'], { input: 'x\n' }).toString().trim();
  const byte = fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(9, 10, 13, 34, 92, 32, 0xc3, 0xa9));
  const name = fc
    .uint8Array({ minLength: 1, maxLength: 12 })
    .chain((bytes) => fc.tuple(...Array.from(bytes, () => byte)))
    .map((bytes) => Buffer.from(bytes.filter((value) => value !== 0x2f)))
    .filter((bytes) => bytes.length > 0 && !/^\.|git~1/i.test(bytes.toString('latin1')));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { minLength: 1, selector: (bytes) => bytes.toString('latin1') }),
      async (names) => {
        const entry = (bytes: Buffer) => [Buffer.from(`100644 blob ${blob}\t`), bytes, Buffer.from([0])];
        const tree = git
          .bytes(['mktree', '-z'], { input: Buffer.concat(names.flatMap(entry)) })
          .toString()
          .trim();
        const { files } = await diffTrees(git.repo, null, tree);
        const expected = names.toSorted(Buffer.compare).map(decodeBytes);
        assert.deepEqual(
          files.map(({ newPath }) => newPath),
          expected,
        );
        for (const file of files) assert.equal(file.diff, '@@ -0,0 +1 @@\n+x\n');
      },
    ),
    { numRuns: 40 },
  );
});

test('works with sha256', async () => {
  const other = new GitRepository('--object-format=sha256');
  other.write('a', 'a\n');
  const oid = other.commit('root');
  assert.deepEqual(await commitStats(other.repo, oid), { additions: 1, deletions: 0 });
  const { files } = await commitDiff(other.repo, oid);
  assert.equal(files[0]?.diff, '@@ -0,0 +1 @@\n+a\n');
  await other.close();
});
