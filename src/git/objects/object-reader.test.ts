import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitChildren, gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { GitError, type GitErrorCode } from '../common/index.ts';
import { RepositoryPool } from '../repository/index.ts';

function hasCode(...codes: GitErrorCode[]) {
  return (error: unknown) => {
    assert.ok(error instanceof GitError, String(error));
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    return true;
  };
}

test('reads what git wrote, byte for byte', async (t) => {
  const { repo, git } = gitFixture(t);
  for (const data of [Buffer.alloc(0), Buffer.from('\n'), Buffer.from('abc missing\n'), randomBytes(300_000)]) {
    const oid = git(['hash-object', '-w', '--stdin'], data);
    assert.deepEqual(await repo.objects.info(oid), { oid, type: 'blob', size: data.length });
    const read = await repo.objects.read(oid, 1_000_000);
    assert.deepEqual(read?.data, data);
    assert.deepEqual((await repo.objects.read(oid, 1_000_000))?.data, data);
    const chunks: Buffer[] = [];
    for await (const chunk of repo.objects.stream(oid)) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), data);
  }
});

test('an object larger than wanted comes without its data', async (t) => {
  const { repo, git } = gitFixture(t);
  const oid = git(['hash-object', '-w', '--stdin'], 'x'.repeat(1_000));
  assert.deepEqual(await repo.objects.read(oid, 999), { oid, type: 'blob', size: 1_000, data: null });
  assert.equal((await repo.objects.read(oid, 1_000))?.data?.length, 1_000);
  assert.equal((await repo.objects.read(oid, 999))?.data, null);
});

test('what does not exist is null, what is no object name is refused before git sees it', async (t) => {
  const { repo, commit } = gitFixture(t);
  const oid = commit({ a: '1' });
  assert.equal(await repo.objects.info('1'.repeat(40)), null);
  assert.equal(await repo.objects.read('1'.repeat(40), 10), null);
  assert.equal(await repo.objects.commit('1'.repeat(40)), null);
  assert.equal(await repo.objects.tree(oid), null);
  assert.equal(await repo.objects.info('refs/heads/none'), null);
  const bad = ['', 'HEAD', '-h', '--batch', 'abc', `${oid}\n`, `${oid}\ninfo x`, `${oid}~1`, ':/x', 'a..b', `${oid}:a`];
  for (const name of [
    ...bad,
    'refs/heads/x y',
    'refs/heads/\0',
    '@{-1}',
    `${oid}^{/x}`,
    'refs/heads/a^',
    'refs/heads/main@{1}',
    'refs/a..refs/b',
    `${oid}^{commit}\n`,
    'x'.repeat(9_000),
  ]) {
    await assert.rejects(repo.objects.info(name), hasCode('invalid'), name);
  }
  assert.throws(() => repo.objects.stream('--help'), hasCode('invalid'));
  await assert.rejects(repo.objects.commit('refs/heads/main'), hasCode('invalid'));
});

test('thousands of requests at once are answered in order, without a process', async (t) => {
  const { repo, dir, git } = gitFixture(t);
  const oids = Array.from({ length: 20 }, (_, i) => git(['hash-object', '-w', '--stdin'], 'x'.repeat(i * 997)));
  const answers = await Promise.all(Array.from({ length: 4_000 }, (_, i) => repo.objects.info(oids[i % 20]!)));
  assert.ok(answers.every((answer, i) => answer?.oid === oids[i % 20] && answer?.size === (i % 20) * 997));
  assert.equal(gitChildren(dir).length, 0);
});

test('a damaged object is an error of its own: others are read before and after it', async (t) => {
  const { repo, dir, git, commit } = gitFixture(t);
  const [fine, bad] = [commit({ a: '1' }), git(['hash-object', '-w', '--stdin'], 'damaged'.repeat(2_000))];
  const path = join(dir, 'objects', bad.slice(0, 2), bad.slice(2));
  chmodSync(path, 0o644);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x55, Math.floor(bytes.length / 2)));
  const all = await Promise.allSettled([
    repo.objects.info(fine),
    repo.objects.read(bad, 100_000),
    repo.objects.info(fine),
    repo.objects.commit(fine),
  ]);
  assert.deepEqual(
    all.map((one) => one.status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  await assert.rejects(repo.objects.read(bad, 100_000), hasCode('corrupt'));
  await assert.rejects(async () => {
    for await (const _ of repo.objects.stream(bad));
  }, hasCode('corrupt'));
});

test('objects written, packed and repacked by others are found by a running reader', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  let parents: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const oid = commit({ a: String(round) }, parents);
    assert.equal((await repo.objects.info(oid))?.type, 'commit');
    git(['update-ref', 'refs/heads/main', oid]);
    git(['repack', '-a', '-d', '-q']);
    for (const line of git(['rev-list', '--objects', 'main']).split('\n')) {
      assert.equal((await repo.objects.info(line.slice(0, 40)))?.oid, line.slice(0, 40));
    }
    parents = [oid];
  }
});

test('parsed commits and tags hold what git shows', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const first = commit({ a: '1' }, [], 'one\n\nbody é\n');
  const oid = commit({ b: '2' }, [first], 'two');
  const parsed = await repo.objects.commit(first);
  assert.equal(parsed?.message, 'one\n\nbody é\n');
  assert.deepEqual(parsed?.author, {
    name: 'Ada',
    email: 'ada@example.com',
    date: new Date(1_700_000_000_000),
    timestamp: 1_700_000_000,
    timezone: '+0100',
  });
  assert.deepEqual((await repo.objects.commit(oid))?.parents, [first]);
  assert.equal(await repo.objects.commit(oid), await repo.objects.commit(oid));
  git(['tag', '-a', '-m', 'message\n\nmore', 'v1', oid]);
  const tagOid = git(['rev-parse', 'refs/tags/v1']);
  const tag = await repo.objects.tag(tagOid);
  assert.equal(tag?.object, oid);
  assert.equal(tag?.type, 'commit');
  assert.equal(tag?.name, 'v1');
  assert.equal(tag?.message, 'message\n\nmore\n');
  assert.equal(tag?.tagger?.name, 'Bob');
  assert.equal(await repo.objects.commit(tagOid), null);
});

test('a stream that nobody wants any more lets go of its file', async (t) => {
  const { repo, pool, git } = gitFixture(t);
  const oid = git(['hash-object', '-w', '--stdin'], randomBytes(8_000_000));
  const stream = repo.objects.stream(oid);
  for await (const chunk of stream) {
    assert.ok(chunk.length > 0);
    break;
  }
  assert.equal(stream.destroyed, true);
  while (pool.openFiles > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('open files stay within their bound over many repositories, and are closed with the pool', async (t) => {
  const base = temporaryFolder(t);
  const pool = new RepositoryPool({ maxOpenFiles: 5 });
  t.after(() => pool.close());
  const { git, commit, dir } = gitFixture(t);
  const oid = commit({ a: '1' });
  git(['update-ref', 'refs/heads/main', oid]);
  git(['repack', '-a', '-d', '-q']);
  const copies = Array.from({ length: 12 }, (_, i) => join(base, `r${i}.git`));
  for (const copy of copies) cpSync(dir, copy, { recursive: true });
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(
      copies.flatMap((copy) => [pool.get(copy, copy).objects.info(oid), pool.get(copy, copy).objects.commit(oid)]),
    );
    assert.ok(answers.every((answer) => answer?.oid === oid));
    assert.ok(pool.openFiles > 0 && pool.openFiles <= 5, String(pool.openFiles));
  }
  assert.equal(pool.processes, 0);
  const last = pool.get(copies[0]!, copies[0]!);
  const pending = last.objects.info(oid).catch(hasCode('aborted'));
  await pool.close();
  await pending;
  assert.equal(pool.openFiles, 0);
  await assert.rejects(last.objects.info(oid), hasCode('aborted'));
});

test('packs that nobody reads are closed', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const oid = commit({ a: '1' });
  git(['update-ref', 'refs/heads/main', oid]);
  git(['repack', '-a', '-d', '-q']);
  const pool = new RepositoryPool({ idleMs: 30 });
  t.after(() => pool.close());
  assert.equal((await pool.get('x', dir).objects.info(oid))?.oid, oid);
  assert.equal(pool.openFiles, 2);
  while (pool.openFiles > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal((await pool.get('x', dir).objects.info(oid))?.oid, oid);
});

test('a repository that is not there fails every request at once', async (t) => {
  const pool = new RepositoryPool();
  t.after(() => pool.close());
  const repo = pool.get('gone', join(temporaryFolder(t), 'gone.git'));
  const all = await Promise.allSettled(Array.from({ length: 50 }, () => repo.objects.info('a'.repeat(40))));
  for (const one of all) assert.ok(one.status === 'rejected' && hasCode('corrupt')(one.reason));
  await assert.rejects(repo.refs.resolve('refs/heads/main'), hasCode('corrupt'));
  await assert.rejects(repo.refs.list('refs/'), hasCode('corrupt'));
});
