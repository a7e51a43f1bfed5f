import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { GitError } from '../common/index.ts';
import { createRepository } from '../repository/index.ts';
import { CommitError, type CommitRefusal } from './commit-error.ts';
import { type FileAction, writeActions, writeCommit } from './commit-writer.ts';

const who = { name: 'Ada', email: 'ada@example.com', date: new Date('2026-01-02T03:04:05Z') };
const rest = { author: who, committer: { ...who, name: 'Bob', timezone: '-0330' }, message: 'Change' };
const create = (path: string, text = path): FileAction => ({ action: 'create', path, content: Buffer.from(text) });

function refuses(code: CommitRefusal, text?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof CommitError, String(error));
    assert.equal(error.code, code);
    if (text !== undefined) assert.equal(error.message, text);
    return true;
  };
}

test('the first commit of an empty repository is what git itself would have written', async (t) => {
  const { repo, git } = gitFixture(t);
  const actions = [create('a/b/c.txt'), create('a.txt'), create('a-b'), create('z', '')];
  const { oid, tree, baseTree, paths } = await writeActions(repo, { ...rest, base: null, actions });
  assert.equal(baseTree, null);
  assert.deepEqual(paths, ['a/b/c.txt', 'a.txt', 'a-b', 'z']);
  const expected = [
    `tree ${tree}`,
    'author Ada <ada@example.com> 1767323045 +0000',
    'committer Bob <ada@example.com> 1767323045 -0330',
    '',
    'Change',
  ];
  assert.equal(git(['cat-file', 'commit', oid]), expected.join('\n'));
  assert.equal(git(['ls-tree', '-r', '--name-only', oid]), 'a-b\na.txt\na/b/c.txt\nz');
  assert.equal(git(['cat-file', 'blob', `${oid}:a/b/c.txt`]), 'a/b/c.txt');
  assert.equal(git(['fsck', '--full', '--strict']).includes('error'), false);
});

test('each action does what its name says, and folders left empty vanish', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const base = commit({ 'keep.txt': 'k', 'dir/one': '1', 'deep/er/two': '2', 'run.sh': 'x', old: 'o' });
  const { oid, tree } = await writeActions(repo, {
    ...rest,
    base,
    actions: [
      { action: 'update', path: 'keep.txt', content: Buffer.from('kept') },
      { action: 'delete', path: 'dir/one' },
      { action: 'move', path: 'moved/two', previousPath: 'deep/er/two' },
      { action: 'move', path: 'new', previousPath: 'old', content: Buffer.from('n') },
      { action: 'chmod', path: 'run.sh', executable: true },
      create('dir', 'a file where a folder was'),
    ],
  });
  const files = git(['ls-tree', '-r', '--format=%(objectmode) %(path)', oid]);
  assert.equal(files, '100644 dir\n100644 keep.txt\n100644 moved/two\n100644 new\n100755 run.sh');
  assert.equal(git(['cat-file', 'blob', `${oid}:moved/two`]), '2');
  assert.equal(git(['cat-file', 'blob', `${oid}:new`]), 'n');
  assert.equal(git(['cat-file', 'blob', `${oid}:keep.txt`]), 'kept');
  assert.equal(git(['rev-parse', `${oid}^1`]), base);
  assert.equal(git(['rev-parse', `${oid}^{tree}`]), tree);
  git(['fsck', '--full', '--strict']);
});

test('trees of any length are read by git, and stay uncompressed as far as one block goes', async (t) => {
  const { dir, repo, git } = gitFixture(t);
  const many = Array.from({ length: 2_000 }, (_, n) => create(`long/f${1_000 + n}`, String(n)));
  const actions = [...many, ...many.slice(0, 300).map(({ path }) => create(`short/${path}`, '1'))];
  const { oid } = await writeActions(repo, { ...rest, base: null, actions });
  const sizes = ['long', 'short/long'].map((folder) => {
    const tree = git(['rev-parse', `${oid}:${folder}`]);
    return [statSync(join(dir, 'objects', tree.slice(0, 2), tree.slice(2))).size, git(['cat-file', '-s', tree])];
  });
  assert.ok(Number(sizes[0]![0]) < Number(sizes[0]![1]), 'a tree of 66,000 bytes is not as long as it is');
  assert.equal(sizes[1]![0], Number(sizes[1]![1]) + `tree ${sizes[1]![1]}\0`.length + 11);
  assert.equal(git(['ls-tree', '-r', '--name-only', oid]).split('\n').length, 2_300);
  assert.equal((await repo.objects.tree(git(['rev-parse', `${oid}:long`])))?.length, 2_000);
  git(['fsck', '--full', '--strict']);
});

test('deleting the last file leaves the empty tree', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const base = commit({ 'a/b': '1' });
  const { tree } = await writeActions(repo, { ...rest, base, actions: [{ action: 'delete', path: 'a/b' }] });
  assert.equal(tree, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  git(['fsck', '--full', '--strict']);
});

test('actions that change nothing give the tree of the base', async (t) => {
  const { repo, commit } = gitFixture(t);
  const base = commit({ a: '1' });
  const content = Buffer.from('1');
  const { tree, baseTree } = await writeActions(repo, {
    ...rest,
    base,
    actions: [{ action: 'update', path: 'a', content }],
  });
  assert.equal(tree, baseTree);
});

test('refusals carry the texts of the API and write nothing', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const base = commit({ 'dir/file': '1', other: '2' });
  const before = git(['count-objects']);
  const content = Buffer.from('x');
  const cases: [FileAction, CommitRefusal, string][] = [
    [create('other'), 'file_exists', 'A file with this name already exists'],
    [create('dir'), 'directory_exists', 'A directory with this name already exists'],
    [create('other/x'), 'file_exists', 'A file with this name already exists'],
    [{ action: 'update', path: 'none', content }, 'file_missing', "A file with this name doesn't exist"],
    [{ action: 'update', path: 'dir', content }, 'file_missing', "A file with this name doesn't exist"],
    [{ action: 'delete', path: 'dir' }, 'file_missing', "A file with this name doesn't exist"],
    [{ action: 'delete', path: 'other/x' }, 'file_missing', "A file with this name doesn't exist"],
    [{ action: 'chmod', path: 'dir', executable: true }, 'file_missing', "A file with this name doesn't exist"],
    [{ action: 'move', path: 'x', previousPath: 'none' }, 'file_missing', "A file with this name doesn't exist"],
    [
      { action: 'move', path: 'other', previousPath: 'dir/file' },
      'file_exists',
      'A file with this name already exists',
    ],
    [{ action: 'move', path: 'x', previousPath: '../y' }, 'path_traversal', 'Path cannot include directory traversal'],
    [create('../x'), 'path_traversal', 'Path cannot include directory traversal'],
    [create('/x'), 'path_invalid', "invalid path: '/x'"],
    [create(''), 'path_missing', 'You must provide a file path'],
  ];
  for (const [action, code, text] of cases) {
    await assert.rejects(writeActions(repo, { ...rest, base, actions: [action] }), refuses(code, text));
  }
  assert.equal(git(['count-objects']), before);
});

test('an action with a last commit id is refused once somebody else changed the file', async (t) => {
  const { repo, commit } = gitFixture(t);
  const base = commit({ a: '1' });
  const lastCommitOf = async () => base;
  const action = (lastCommitId: string): FileAction => ({ action: 'delete', path: 'a', lastCommitId });
  const stale = writeActions(repo, { ...rest, base, lastCommitOf, actions: [action('0'.repeat(40))] });
  await assert.rejects(stale, refuses('file_changed', 'The file has changed since you started editing it: a'));
  await writeActions(repo, { ...rest, base, lastCommitOf, actions: [action(base)] });
});

test('symbolic links and submodules are entries: never followed, never given a file mode', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const inner = commit({ x: '1' });
  const link = git(['hash-object', '-w', '--stdin'], '/etc/passwd');
  const tree = git(['mktree'], `120000 blob ${link}\tlink\n160000 commit ${inner}\tsub\n`);
  const base = git(['commit-tree', tree], 'x');
  const content = Buffer.from('y');
  for (const action of [
    { action: 'update', path: 'sub', content },
    { action: 'update', path: 'link/x', content },
    { action: 'move', path: 'x', previousPath: 'sub/x' },
    { action: 'chmod', path: 'link', executable: true },
  ] satisfies FileAction[]) {
    await assert.rejects(writeActions(repo, { ...rest, base, actions: [action] }), refuses('file_missing'));
  }
  const actions: FileAction[] = [
    { action: 'update', path: 'link', content: Buffer.from('elsewhere') },
    { action: 'move', path: 'lib/sub', previousPath: 'sub' },
  ];
  const { oid } = await writeActions(repo, { ...rest, base, actions });
  const files = git(['ls-tree', '-r', '--format=%(objectmode) %(path)', oid]);
  assert.equal(files, '160000 lib/sub\n120000 link');
});

test('names, addresses and messages cannot add a header', async (t) => {
  const { repo, git } = gitFixture(t);
  const evil = { name: 'a\nparent 123', email: 'x> 0 +0000\ncommitter Eve <e@e', date: who.date };
  const input = { base: null, actions: [create('f')], author: evil, committer: evil, message: 'one\0two\r\n\nthree' };
  const { oid } = await writeActions(repo, input);
  assert.equal(
    git(['log', '-1', '--format=%an|%ae|%P|%cn', oid]),
    'aparent 123|x 0 +0000committer Eve e@e||aparent 123',
  );
  assert.equal(git(['log', '-1', '--format=%B', oid]), 'onetwo\r\n\nthree');
  git(['fsck', '--full', '--strict']);
  const nobody = { ...rest, base: null, actions: [create('f')], author: { ...who, name: ' <>\n', email: ' ' } };
  await assert.rejects(writeActions(repo, nobody), (error) => error instanceof GitError && error.code === 'invalid');
});

test('dangerous submodule settings are refused, whichever way they come in', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const file = (key: string, value: string) => `[submodule "x"]\n\tpath = p\n\t${key} = ${value}\n`;
  const bad = [file('url', '-u./x'), file('update', '!rm'), file('path', '-p'), file('url', '"a%0ab"')];
  for (const text of [...bad, '[submodule "../../x"]\n\turl = https://example.com/x\n']) {
    for (const path of ['.gitmodules', 'a/.GITMODULES ']) {
      const input = { ...rest, base: null, actions: [create(path, text)] };
      await assert.rejects(writeActions(repo, input), refuses('submodule_invalid'), text);
    }
  }
  const base = commit({ innocent: bad[0]! });
  const actions: FileAction[] = [{ action: 'move', path: '.gitmodules', previousPath: 'innocent' }];
  await assert.rejects(writeActions(repo, { ...rest, base, actions }), refuses('submodule_invalid'));
  const good = file('url', 'https://example.com/x.git');
  await writeActions(repo, { ...rest, base: null, actions: [create('.gitmodules', good)] });
  await writeActions(repo, { ...rest, base: null, actions: [create('.gitmodules', '[not config')] });
  git(['fsck', '--full', '--strict']);
});

test('any set of files makes the tree that git makes of them', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const part = fc.constantFrom(
    'a',
    'a-b',
    'a.b',
    'a0',
    'A',
    'é',
    '日',
    '\uffee',
    '😀',
    ' ',
    'x\ty',
    'q"',
    'n\nl',
    '-h',
  );
  const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(path, { minLength: 1, maxLength: 10 }), async (paths) => {
      const files = paths.filter((one) => !paths.some((other) => other.startsWith(`${one}/`)));
      const expected = commit(Object.fromEntries(files.map((file) => [file, file])));
      const { tree } = await writeActions(repo, { ...rest, base: null, actions: files.map((file) => create(file)) });
      assert.equal(tree, git(['rev-parse', `${expected}^{tree}`]));
    }),
    { numRuns: 25 },
  );
  git(['fsck', '--full', '--strict']);
});

test('a commit of a tree that is there already, with two parents', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const [one, two] = [commit({ a: '1' }), commit({ b: '2' })];
  const tree = git(['rev-parse', `${one}^{tree}`]);
  const oid = await writeCommit(repo, { tree, parents: [one, two], author: who, committer: who, message: 'Merge\n' });
  assert.equal(git(['log', '-1', '--format=%P %s', oid]), `${one} ${two} Merge`);
});

test('a repository of SHA-256 names', async (t) => {
  const { dir, repo, git } = gitFixture(t, { objectFormat: 'sha256' });
  const first = await writeActions(repo, { ...rest, base: null, actions: [create('d/a')] });
  const { oid } = await writeActions(repo, { ...rest, base: first.oid, actions: [create('d/b')] });
  assert.equal(oid.length, 64);
  assert.equal(git(['ls-tree', '-r', '--name-only', oid]), 'd/a\nd/b');
  await repo.refs.transaction([{ ref: 'refs/heads/main', old: null, new: oid }]);
  assert.equal(await repo.refs.resolve('refs/heads/main'), oid);
  git(['fsck', '--full', '--strict']);
  await createRepository(`${dir}-2`, { defaultBranch: 'main', objectFormat: 'sha256' });
});
