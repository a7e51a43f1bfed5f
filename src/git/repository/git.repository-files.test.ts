import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { GitError, type GitErrorCode } from '../common/index.ts';
import { removeStaleLocks } from '../files/index.ts';
import { objectFormatOf } from '../objects/index.ts';
import {
  cloneRepository,
  createRepository,
  removeRepository,
  repositorySize,
  setHead,
} from './git.repository-files.ts';

const hasCode = (code: GitErrorCode) => (error: unknown) => error instanceof GitError && error.code === code;

test('git works in a repository that was made without it', async (t) => {
  for (const objectFormat of ['sha1', 'sha256'] as const) {
    const dir = join(temporaryFolder(t), 'a/b/repo.git');
    await createRepository(dir, { defaultBranch: 'feature/é', objectFormat });
    const { git, commit, repo } = gitFixture(t, { dir });
    assert.equal(git(['rev-parse', '--is-bare-repository']), 'true');
    assert.equal(git(['symbolic-ref', 'HEAD']), 'refs/heads/feature/é');
    assert.equal(git(['rev-parse', '--show-object-format']), objectFormat);
    assert.equal(await objectFormatOf(dir), objectFormat);
    const oid = commit({ a: '1' });
    git(['update-ref', 'refs/heads/feature/é', oid]);
    assert.equal(await repo.refs.resolve('refs/heads/feature/é'), oid);
    git(['fsck', '--full', '--strict']);
    assert.deepEqual(readdirSync(dirname(dir)), ['repo.git']);
  }
});

test('a repository is never made over another one, nor with a bad branch name', async (t) => {
  const dir = join(temporaryFolder(t), 'repo.git');
  await assert.rejects(createRepository(dir, { defaultBranch: '-x' }), hasCode('invalid'));
  await createRepository(dir, { defaultBranch: 'main' });
  await assert.rejects(createRepository(dir, { defaultBranch: 'other' }), hasCode('conflict'));
  assert.match(readFileSync(join(dir, 'HEAD'), 'utf8'), /main/);
  assert.deepEqual(readdirSync(dirname(dir)), ['repo.git']);
});

test('a copy holds branches and tags, and needs neither the source nor what it hides', async (t) => {
  const source = gitFixture(t);
  const hidden = source.commit({ secret: '1' });
  const one = source.commit({ a: '1' });
  const two = source.commit({ a: '2' }, [one]);
  for (const [ref, oid] of [
    ['refs/heads/main', two],
    ['refs/heads/dev/x', one],
    ['refs/merge-requests/1/head', hidden],
    ['refs/stithy/x', hidden],
  ] as const) {
    source.git(['update-ref', ref, oid]);
  }
  source.git(['tag', '-a', '-m', 'x', 'v1', one]);
  source.git(['symbolic-ref', 'HEAD', 'refs/heads/dev/x']);
  const dir = join(temporaryFolder(t), 'x/fork.git');
  await cloneRepository(source.dir, dir);
  const own = source.git(['for-each-ref', 'refs/heads', 'refs/tags']);
  await removeRepository(source.dir);
  const fork = gitFixture(t, { dir });
  assert.equal(fork.git(['for-each-ref']), own);
  assert.equal(await fork.repo.refs.head(), 'dev/x');
  assert.equal(await fork.repo.objects.info(hidden), null);
  assert.equal(existsSync(join(dir, 'objects/info/alternates')), false);
  assert.doesNotMatch(readFileSync(join(dir, 'config'), 'utf8'), /remote/);
  fork.git(['fsck', '--full', '--strict']);
  await assert.rejects(cloneRepository(dir, dir), hasCode('conflict'));
});

test('an empty repository can be copied; a copy that fails leaves nothing', async (t) => {
  const base = temporaryFolder(t);
  await createRepository(join(base, 'a.git'), { defaultBranch: 'trunk' });
  await cloneRepository(join(base, 'a.git'), join(base, 'b.git'));
  assert.match(readFileSync(join(base, 'b.git/HEAD'), 'utf8'), /trunk/);
  await assert.rejects(cloneRepository(join(base, 'none.git'), join(base, 'c.git')));
  assert.deepEqual(readdirSync(base).sort(), ['a.git', 'b.git']);
});

test('removing leaves nothing, also of what an ended process left', async (t) => {
  const base = temporaryFolder(t);
  const dir = join(base, 'a.git');
  await createRepository(dir, { defaultBranch: 'main' });
  await removeRepository(dir);
  await removeRepository(dir);
  assert.deepEqual(readdirSync(base), []);
  mkdirSync(join(base, '.making-a.git-1/objects'), { recursive: true });
  mkdirSync(join(base, '.removing-a.git-2'));
  mkdirSync(join(base, '.making-b.git-3'));
  mkdirSync(join(base, 'keep.git'));
  await removeRepository(dir);
  assert.deepEqual(readdirSync(base).sort(), ['.making-b.git-3', 'keep.git']);
});

test('HEAD changes in one step and respects the lock of another process', async (t) => {
  const { dir, repo } = gitFixture(t);
  await setHead(dir, 'a/b');
  assert.equal(await repo.refs.head(), 'a/b');
  for (const bad of ['refs/heads/x', '../x', '', 'a\nb', '-x'])
    await assert.rejects(setHead(dir, bad), hasCode('invalid'));
  writeFileSync(join(dir, 'HEAD.lock'), '');
  await assert.rejects(setHead(dir, 'c'), hasCode('locked'));
  assert.equal(existsSync(join(dir, 'HEAD.lock')), true);
  rmSync(join(dir, 'HEAD.lock'));
  const fence = () => Promise.reject(new Error('fenced off'));
  await assert.rejects(setHead(dir, 'c', fence), { message: 'fenced off' });
  assert.equal(existsSync(join(dir, 'HEAD.lock')), true);
  assert.equal(await repo.refs.head(), 'a/b');
});

test('the size is that of all files', async (t) => {
  const { dir } = gitFixture(t);
  const before = await repositorySize(dir);
  writeFileSync(join(dir, 'objects/pack/x.pack'), Buffer.alloc(12_345));
  assert.equal(await repositorySize(dir), before + 12_345);
  await assert.doesNotReject(repositorySize(join(dir, 'none')));
});

test('old locks and temporary files go, young ones and everything else stay', async (t) => {
  const { dir, git, commit, repo } = gitFixture(t);
  const oid = commit({ a: '1' });
  git(['update-ref', 'refs/heads/a/b', oid]);
  git(['pack-refs', '--all']);
  git(['update-ref', 'refs/heads/x.locked', oid]);
  const locks = [
    'HEAD.lock',
    'packed-refs.lock',
    'config.lock',
    'shallow.lock',
    'refs/heads/main.lock',
    'refs/tags/v/1.lock',
  ];
  const graph = ['objects/info/commit-graphs/commit-graph-chain.lock', 'objects/info/commit-graph.lock'];
  const temporary = [`objects/${oid.slice(0, 2)}/tmp_obj_abc`, 'objects/pack/tmp_pack_XYZ', 'objects/pack/tmp_idx_1'];
  const quarantine = 'objects/tmp_objdir-incoming-AbC';
  const doomed = [...locks, ...graph, ...temporary];
  for (const path of [...doomed, `${quarantine}/pack/x`]) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), '');
    utimesSync(join(dir, path), new Date(1_000_000), new Date(1_000_000));
  }
  utimesSync(join(dir, quarantine), new Date(1_000_000), new Date(1_000_000));
  writeFileSync(join(dir, 'refs/heads/young.lock'), '');
  const removed = await removeStaleLocks(dir, new Date(Date.now() - 60_000));
  assert.deepEqual(new Set(removed), new Set([...doomed, quarantine]));
  assert.equal(existsSync(join(dir, 'refs/heads/young.lock')), true);
  assert.equal(existsSync(join(dir, quarantine)), false);
  assert.deepEqual(
    (await repo.refs.list('refs/')).map((ref) => ref.name),
    ['refs/heads/a/b', 'refs/heads/x.locked'],
  );
  await repo.refs.transaction([{ ref: 'refs/heads/main', old: null, new: oid }]);
  git(['fsck', '--full', '--strict']);
});
