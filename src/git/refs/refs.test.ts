import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitFixture, gitFixture } from '../../../test/support/git-fixture.ts';
import { GitError, type GitErrorCode } from '../common/index.ts';
import { gitEnvironment } from '../process/index.ts';

function hasCode(code: GitErrorCode) {
  return (error: unknown) => {
    assert.ok(error instanceof GitError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  };
}

/** What git itself says, in the form that `list` gives. */
function forEachRef({ git }: GitFixture, prefix: string): string[] {
  const text = git(['for-each-ref', '--format=%(objectname) %(refname)', prefix]);
  return text === '' ? [] : text.split('\n');
}

async function listed({ repo }: GitFixture, prefix: string): Promise<string[]> {
  return (await repo.refs.list(prefix)).map((ref) => `${ref.oid} ${ref.name}`);
}

/** Makes every folder of references old enough to be trusted. */
async function settle(): Promise<void> {
  await sleep(80);
}

test('resolves loose and packed references, and prefers the loose one', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit } = fixture;
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  git(['update-ref', 'refs/heads/main', one]);
  git(['update-ref', 'refs/heads/a/b', one]);
  assert.equal(await repo.refs.resolve('refs/heads/main'), one);
  git(['pack-refs', '--all']);
  assert.equal(await repo.refs.resolve('refs/heads/main'), one);
  git(['update-ref', 'refs/heads/main', two]);
  assert.equal(await repo.refs.resolve('refs/heads/main'), two);
  assert.equal(await repo.refs.resolve('refs/heads/a/b'), one);
  for (const absent of ['refs/heads/a', 'refs/heads/none', 'refs/heads/main/x', 'refs/heads/', 'HEAD', '../x', '']) {
    assert.equal(await repo.refs.resolve(absent), null, absent);
  }
  git(['update-ref', '-d', 'refs/heads/main']);
  assert.equal(await repo.refs.resolve('refs/heads/main'), null);
});

test('bisects packed-refs with peeled tags, also where git did not sort the file', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const oid = commit({ a: '1' });
  const names = Array.from(
    { length: 300 },
    (_, i) => `refs/${i % 3 === 0 ? 'tags' : 'heads'}/n${(i * 7919) % 1_000}-é`,
  );
  git(['update-ref', '--stdin'], names.map((name) => `create ${name} ${oid}\n`).join(''));
  git(['tag', '-a', '-m', 'x', 'annotated', oid]);
  git(['pack-refs', '--all']);
  const asked = [...names, 'refs/tags/annotated'];
  const expected = git(['rev-parse', ...asked]).split('\n');
  for (const [at, name] of asked.entries()) assert.equal(await repo.refs.resolve(name), expected[at], name);
  assert.deepEqual(await listed(fixture, 'refs/tags/'), forEachRef(fixture, 'refs/tags/'));
  assert.equal((await repo.refs.list('refs/tags/')).find((ref) => ref.name.endsWith('annotated'))?.peeled, oid);
  const lines = readFileSync(join(dir, 'packed-refs'), 'utf8')
    .split('\n')
    .slice(1, -1)
    .filter((line) => line[0] !== '^');
  writeFileSync(join(dir, 'packed-refs'), `# pack-refs with: peeled \n${lines.reverse().join('\n')}\n`);
  assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
  for (const name of names) assert.equal(await repo.refs.resolve(name), oid);
});

test('lists in the order of bytes, and gives the same array while nothing changes', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit } = fixture;
  const oid = commit({ a: '1' });
  const names = ['a', 'a-b', 'a.b', 'aa/b', 'A', 'é', '\uffee', '😀', 'b/c/d', 'b/c-d', 'b-c'];
  for (const name of names) git(['update-ref', `refs/heads/${name}`, oid]);
  git(['pack-refs', '--all']);
  git(['update-ref', 'refs/heads/a', oid]);
  git(['update-ref', 'refs/heads/b/c/e', oid]);
  assert.deepEqual(await listed(fixture, 'refs/heads/'), forEachRef(fixture, 'refs/heads/'));
  const first = await repo.refs.list('refs/heads/');
  assert.equal(await repo.refs.list('refs/heads/'), first);
  await settle();
  assert.equal(await repo.refs.list('refs/heads/'), first);
  git(['update-ref', 'refs/tags/elsewhere', oid]);
  assert.equal(await repo.refs.list('refs/heads/'), first);
  assert.deepEqual(await listed(fixture, 'refs/heads/b/'), forEachRef(fixture, 'refs/heads/b/'));
  git(['update-ref', 'refs/heads/b/c/e', commit({ a: '2' })]);
  const second = await repo.refs.list('refs/heads/');
  assert.notEqual(second, first);
  assert.deepEqual(await listed(fixture, 'refs/heads/'), forEachRef(fixture, 'refs/heads/'));
  for (const bad of ['refs/heads', '', 'heads/', 'refs/../', '/refs/', 'refs//']) {
    await assert.rejects(repo.refs.list(bad), hasCode('invalid'), bad);
  }
  assert.deepEqual(await repo.refs.list('refs/none/'), []);
});

test('sees a folder that comes, goes and comes again', async (t) => {
  const fixture = gitFixture(t);
  const { git, commit } = fixture;
  const oid = commit({ a: '1' });
  for (let round = 0; round < 3; round += 1) {
    git(['update-ref', 'refs/heads/x/y/z', oid]);
    assert.deepEqual(await listed(fixture, 'refs/heads/x/'), [`${oid} refs/heads/x/y/z`]);
    assert.deepEqual(await listed(fixture, 'refs/heads/'), [`${oid} refs/heads/x/y/z`]);
    if (round === 1) await settle();
    git(['update-ref', '-d', 'refs/heads/x/y/z']);
    git(['update-ref', 'refs/heads/x', oid]);
    assert.deepEqual(await listed(fixture, 'refs/heads/'), [`${oid} refs/heads/x`]);
    assert.deepEqual(await listed(fixture, 'refs/heads/x/'), []);
    git(['update-ref', '-d', 'refs/heads/x']);
    assert.deepEqual(await listed(fixture, 'refs/heads/'), []);
  }
});

test('a change within one tick of the clock is never missed', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const oids = [commit({ a: '1' }), commit({ a: '2' })];
  git(['update-ref', 'refs/heads/main', oids[0]!]);
  const path = join(dir, 'refs/heads/main');
  const now = new Date();
  for (let round = 0; round < 200; round += 1) {
    const oid = oids[round % 2]!;
    // In place and with the time set back to one value: only the distrust of young files can notice.
    writeFileSync(path, `${oid}\n`);
    utimesSync(path, now, now);
    utimesSync(join(dir, 'refs/heads'), new Date(), new Date());
    assert.deepEqual(await listed(fixture, 'refs/heads/'), [`${oid} refs/heads/main`]);
    assert.equal(await repo.refs.resolve('refs/heads/main'), oid);
  }
});

test('a broken or symbolic reference is reported by its name and hides no other', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const oid = commit({ a: '1' });
  for (const name of ['fine', 'empty', 'word', 'zero']) git(['update-ref', `refs/heads/${name}`, oid]);
  git(['pack-refs', '--all']);
  mkdirSync(join(dir, 'refs/heads'), { recursive: true });
  writeFileSync(join(dir, 'refs/heads/empty'), '');
  writeFileSync(join(dir, 'refs/heads/word'), 'hello\n');
  writeFileSync(join(dir, 'refs/heads/symbolic'), 'ref: refs/heads/fine\n');
  writeFileSync(join(dir, 'refs/heads/x.lock'), '');
  symlinkSync('/etc/hostname', join(dir, 'refs/heads/link'));
  symlinkSync('/etc', join(dir, 'refs/heads/linked-folder'));
  assert.deepEqual(await listed(fixture, 'refs/heads/'), [`${oid} refs/heads/fine`, `${oid} refs/heads/zero`]);
  const broken = ['empty', 'link', 'linked-folder', 'symbolic', 'word'].map((name) => `refs/heads/${name}`);
  assert.deepEqual(await repo.refs.corrupt(), broken);
  for (const name of broken) await assert.rejects(repo.refs.resolve(name), hasCode('corrupt'));
  assert.equal(await repo.refs.resolve('refs/heads/fine'), oid);
  const update = { ref: 'refs/heads/empty', old: oid, new: oid };
  await assert.rejects(repo.refs.transaction([update]), hasCode('corrupt'));
});

test('the name of HEAD, also before its branch exists', async (t) => {
  const { repo, git, commit, dir } = gitFixture(t);
  assert.equal(await repo.refs.head(), 'main');
  git(['symbolic-ref', 'HEAD', 'refs/heads/a/é']);
  assert.equal(await repo.refs.head(), 'a/é');
  writeFileSync(join(dir, 'HEAD'), `${commit({ a: '1' })}\n`);
  assert.equal(await repo.refs.head(), null);
  rmSync(join(dir, 'HEAD'));
  await assert.rejects(repo.refs.head(), hasCode('corrupt'));
});

test('agrees with git while another process creates, moves, deletes and packs references', async (t) => {
  const fixture = gitFixture(t);
  const { commit, dir, repo } = fixture;
  const oids = [commit({ a: '1' }), commit({ a: '2' }), commit({ a: '3' })];
  await repo.refs.transaction([{ ref: 'refs/heads/constant/x', old: null, new: oids[0]! }]);
  const script = `
    i=0
    while [ $i -lt 60 ]; do
      i=$((i+1))
      git update-ref refs/heads/f$((i % 7))/b$((i % 3)) ${oids[1]}
      git update-ref refs/heads/g$((i % 5)) ${oids[2]}
      [ $((i % 4)) = 0 ] && git pack-refs --all
      git update-ref -d refs/heads/f$(((i + 3) % 7))/b$((i % 3))
      [ $((i % 9)) = 0 ] && git update-ref -d refs/heads/g$((i % 5))
    done; true`;
  const child = spawn('sh', ['-c', script], { env: { ...gitEnvironment(), GIT_DIR: dir }, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  let reads = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const refs = await repo.refs.list('refs/heads/');
    assert.equal(
      refs.find((ref) => ref.name === 'refs/heads/constant/x')?.oid,
      oids[0],
      'an untouched reference vanished',
    );
    assert.equal(await repo.refs.resolve('refs/heads/constant/x'), oids[0]);
    for (const ref of refs) assert.ok(oids.includes(ref.oid));
    reads += 1;
    await sleep(1);
  }
  assert.equal((await exit)[0], 0);
  assert.ok(reads > 20);
  assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
});

test('a reference that could not be opened for want of file descriptors is not broken afterwards', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const oid = commit({ a: '1' });
  git(['update-ref', 'refs/heads/main', oid]);
  const out = () => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  // What was changed a moment ago is read again in any case.
  await sleep(100);
  for (const name of ['openSync', 'readdirSync'] as const) {
    const mocked = t.mock.method(fs, name, out);
    syncBuiltinESMExports();
    try {
      if (name === 'openSync') await assert.rejects(repo.refs.resolve('refs/heads/main'), { code: 'EMFILE' });
      await assert.rejects(repo.refs.list('refs/heads/'), { code: 'EMFILE' });
      await assert.rejects(repo.refs.list('refs/'), { code: 'EMFILE' });
    } finally {
      mocked.mock.restore();
      syncBuiltinESMExports();
    }
  }
  assert.equal((await repo.refs.list('refs/heads/')).length, 1);
  assert.equal((await repo.refs.list('refs/')).length, 1);
  assert.equal(await repo.refs.resolve('refs/heads/main'), oid);
  assert.deepEqual(await repo.refs.corrupt(), []);
});
