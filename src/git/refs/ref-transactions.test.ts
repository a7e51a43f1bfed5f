import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type GitFixture, gitChildren, gitFixture } from '../../../test/support/git-fixture.ts';
import { GitError, type GitErrorCode } from '../common/index.ts';
import { writeInThisThread } from '../files/writer/writing-thread.ts';
import { gitEnvironment } from '../process/index.ts';
import type { RefUpdate } from './refs.ts';

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

const leftLocks = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));

test('a transaction creates, moves and deletes together, and refuses as a whole', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  const ref = (name: string, old: RefUpdate['old'], oid: string | null): RefUpdate => ({
    ref: `refs/heads/${name}`,
    old,
    new: oid,
  });
  await repo.refs.transaction([]);
  await repo.refs.transaction([ref('main', null, one), ref('a/b/c', null, one), ref('é', undefined, one)]);
  git(['pack-refs', '--all']);
  await repo.refs.transaction([ref('main', one, two), ref('a/b/c', one, null), ref('none', undefined, null)]);
  assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
  const before = await listed(fixture, 'refs/');
  const tree = git(['rev-parse', `${one}^{tree}`]);
  const refused: [RefUpdate[], GitErrorCode][] = [
    [[ref('ok', null, one), ref('main', null, one)], 'conflict'],
    [[ref('ok', null, one), ref('main', one, two)], 'conflict'],
    [[ref('ok', null, one), ref('main/x', null, two)], 'conflict'],
    [[ref('ok', null, one), ref('gone', one, null)], 'conflict'],
    [[ref('ok', null, one), ref('ok', null, one)], 'invalid'],
    [[ref('ok', null, one), ref('ok/x', null, one)], 'invalid'],
    [[ref('ok', null, one), ref('t', null, tree)], 'invalid'],
    [[ref('ok', null, one), ref('t', null, '1'.repeat(40))], 'invalid'],
    [[ref('ok', null, one), ref('a..b', null, one)], 'invalid'],
    [[ref('ok', null, one), ref('b\nc', null, one)], 'invalid'],
    [[ref('ok', null, one), ref('x', null, null)], 'invalid'],
    [[ref('ok', null, 'main')], 'invalid'],
    [[ref('ok', null, '0'.repeat(40))], 'invalid'],
    [[{ ref: 'HEAD', new: one }], 'invalid'],
  ];
  for (const [updates, code] of refused) {
    await assert.rejects(repo.refs.transaction(updates), hasCode(code), JSON.stringify(updates));
  }
  assert.deepEqual(await listed(fixture, 'refs/'), before);
  await repo.refs.transaction([ref('ok', null, one)]);
  assert.deepEqual(leftLocks(dir), []);
  assert.deepEqual(gitChildren(dir), []);
});

test('a reference that another process holds is locked, and free again afterwards', async (t) => {
  const { repo, commit, dir } = gitFixture(t);
  const oid = commit({ a: '1' });
  mkdirSync(join(dir, 'refs/heads'), { recursive: true });
  writeFileSync(join(dir, 'refs/heads/main.lock'), '');
  const update = { ref: 'refs/heads/main', old: null, new: oid };
  await assert.rejects(repo.refs.transaction([update]), hasCode('locked'));
  assert.equal(existsSync(join(dir, 'refs/heads/main.lock')), true);
  rmSync(join(dir, 'refs/heads/main.lock'));
  await repo.refs.transaction([update]);
});

test('of many transactions on one reference at once exactly one wins', async (t) => {
  const { repo, commit } = gitFixture(t);
  const oids = Array.from({ length: 20 }, (_, i) => commit({ a: String(i) }));
  const all = await Promise.allSettled(
    oids.map((oid) => repo.refs.transaction([{ ref: 'refs/heads/main', old: null, new: oid }])),
  );
  const won = oids.filter((_, i) => all[i]!.status === 'fulfilled');
  assert.equal(won.length, 1);
  assert.equal(await repo.refs.resolve('refs/heads/main'), won[0]);
});

test('names of folders come and go with the references below them', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const oid = commit({ a: '1' });
  for (const packed of [false, true]) {
    await repo.refs.transaction([{ ref: 'refs/heads/a/b/c', old: null, new: oid }]);
    if (packed) git(['pack-refs', '--all', '--no-prune']);
    await assert.rejects(repo.refs.transaction([{ ref: 'refs/heads/a', old: null, new: oid }]), hasCode('conflict'));
    await assert.rejects(
      repo.refs.transaction([{ ref: 'refs/heads/a/b/c/d', old: null, new: oid }]),
      hasCode('conflict'),
    );
    await repo.refs.transaction([{ ref: 'refs/heads/a/b/c', old: oid, new: null }]);
    assert.equal(existsSync(join(dir, 'refs/heads/a')), false);
    mkdirSync(join(dir, 'refs/heads/a/empty/one'), { recursive: true });
    await repo.refs.transaction([{ ref: 'refs/heads/a', old: null, new: oid }]);
    assert.deepEqual(forEachRef(fixture, 'refs/heads/a'), [`${oid} refs/heads/a`]);
    await repo.refs.transaction([{ ref: 'refs/heads/a', old: oid, new: null }]);
  }
  assert.deepEqual(leftLocks(dir), []);
});

test('what is packed with its tags is taken out, in whatever way it was packed', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const oid = commit({ a: '1' });
  for (const name of ['one', 'two', 'three', 'one-more']) git(['tag', '-a', '-m', 'x', name, oid]);
  await repo.refs.transaction([{ ref: 'refs/heads/main', old: null, new: oid }]);
  git(['pack-refs', '--all']);
  await repo.refs.transaction(['refs/tags/one', 'refs/tags/three'].map((ref) => ({ ref, new: null })));
  assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
  assert.equal(readFileSync(join(dir, 'packed-refs'), 'latin1').split('\n').length, 1 + 1 + 2 * 2 + 1);
  writeFileSync(join(dir, 'packed-refs'), `${oid} refs/heads/main\n${oid} refs/heads/last`);
  await repo.refs.transaction([{ ref: 'refs/heads/last', old: oid, new: null }]);
  assert.deepEqual(forEachRef(fixture, 'refs/'), [`${oid} refs/heads/main`]);
  await repo.refs.transaction([{ ref: 'refs/heads/main', old: oid, new: null }]);
  assert.deepEqual(forEachRef(fixture, 'refs/'), []);
  writeFileSync(join(dir, 'packed-refs.lock'), '');
  await assert.rejects(repo.refs.transaction([{ ref: 'refs/heads/none', new: null }]), hasCode('locked'));
});

test('where there is no repository no reference is made', async (t) => {
  const { repo, commit, dir } = gitFixture(t);
  const oid = commit({ a: '1' });
  rmSync(dir, { recursive: true });
  for (const target of [oid, null]) {
    await assert.rejects(repo.refs.transaction([{ ref: 'refs/heads/main', new: target }]), hasCode('corrupt'));
  }
  assert.equal(existsSync(dir), false);
});

test('moves no reference over what git processes do at the same time', async (t) => {
  const { repo, git, commit, dir } = gitFixture(t);
  const oids = Array.from({ length: 30 }, (_, i) => commit({ a: String(i) }));
  const ref = 'refs/heads/a/b';
  const own = 'refs/heads/a/c';
  let gitIsDone = false;
  const script = `for n in $(seq 60); do git --git-dir='${dir}' update-ref ${ref} ${oids[1]} ${oids[0]} && echo moved; git --git-dir='${dir}' update-ref -d ${ref} ${oids[2]} && echo deleted; git --git-dir='${dir}' pack-refs --all; done 2>/dev/null`;
  const child = spawn('sh', ['-c', script], { env: gitEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close').then(() => {
    gitIsDone = true;
  });
  const done = { created: 0, moved: 0, made: 0, deleted: 0 };
  const attempt = async (ref: string, old: string | null, next: string | null, count: keyof typeof done) => {
    try {
      await repo.refs.transaction([{ ref, old, new: next }]);
      done[count] += 1;
    } catch (error) {
      assert.ok(error instanceof GitError && ['conflict', 'locked'].includes(error.code), String(error));
    }
  };
  while (!gitIsDone) {
    await attempt(ref, null, oids[0]!, 'created');
    await attempt(ref, oids[1]!, oids[2]!, 'moved');
    // Of an id of its own: git itself loses one that is made anew with the id that it has just packed.
    const present = await repo.refs.resolve(own);
    assert.equal(present !== null, done.made > done.deleted);
    if (present === null) await attempt(own, null, oids[done.made % oids.length]!, 'made');
    else await attempt(own, present, null, 'deleted');
    await nextTurn();
  }
  await ended;
  const [gitMoved, gitDeleted] = ['moved', 'deleted'].map((word) => output.split(`${word}\n`).length - 1);
  const now = await repo.refs.resolve(ref);
  assert.equal(now, git(['for-each-ref', '--format=%(objectname)', ref]) || null);
  // Each step was taken once: what came in went out, or is there.
  assert.equal(done.created - gitMoved!, now === oids[0] ? 1 : 0);
  assert.equal(gitMoved! - done.moved, now === oids[1] ? 1 : 0);
  assert.equal(done.moved - gitDeleted!, now === oids[2] ? 1 : 0);
  assert.ok(done.created > 0);
  assert.deepEqual(leftLocks(dir), []);
});

test('a reference has moved that is packed, and whose folder goes, as soon as it is in its place', async (t) => {
  const { repo, git, commit, dir } = gitFixture(t);
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  const { renameSync, fsync, openSync } = fs;
  const opened: string[] = [];
  let flushed = 0;
  const writeApart = writeInThisThread();
  t.after(() => {
    writeApart();
    Object.assign(fs, { renameSync, fsync, openSync });
    syncBuiltinESMExports();
  });
  let left = 0;
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    left -= 1;
    if (left === 0) git(['pack-refs', '--all', '--prune']);
  };
  fs.openSync = (path, flags, mode) => {
    opened.push(String(path));
    return openSync(path, flags, mode);
  };
  fs.fsync = Object.assign((file: number, done: fs.NoParamCallback) => {
    flushed += 1;
    fsync(file, done);
  }, fsync);
  syncBuiltinESMExports();
  const names = ['refs/heads/a/b', 'refs/heads/c/d/e'] as const;
  for (const updates of [names.slice(0, 1), names.slice(1), names]) {
    const [old, next] = updates.length === 1 ? [null, one] : [one, two];
    opened.length = 0;
    flushed = 0;
    left = updates.length;
    await repo.refs.transaction(updates.map((ref) => ({ ref, old, new: next })));
    assert.deepEqual(
      await Promise.all(updates.map((ref) => repo.refs.resolve(ref))),
      updates.map(() => next),
    );
    assert.deepEqual(readdirSync(join(dir, 'refs/heads')), []);
    // Its lock, what is left of its folders, and where the packed ones are.
    assert.ok(opened.includes(join(dir, 'refs/heads')) && opened.includes(dir), opened.join('\n'));
    assert.ok(flushed >= 3, String(flushed));
  }
});

test('many references get what they are to have with a bounded number of flushes, whatever they had', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  git(['tag', '-a', '-m', 'x', 'packed-tag', one]);
  git(['branch', 'between', one]);
  git(['pack-refs', '--all']);
  git(['branch', 'zz/loose', one]);
  const tag = git(['rev-parse', 'refs/tags/packed-tag']);
  const { fsync } = fs;
  const writeApart = writeInThisThread();
  t.after(() => {
    writeApart();
    fs.fsync = fsync;
    syncBuiltinESMExports();
  });
  let flushed = 0;
  fs.fsync = Object.assign((file: number, done: fs.NoParamCallback) => {
    flushed += 1;
    fsync(file, done);
  }, fsync);
  syncBuiltinESMExports();
  const run = async (updates: RefUpdate[]) => {
    flushed = 0;
    await repo.refs.transaction(updates);
    assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
    for (const { ref, new: oid } of updates) assert.equal(await repo.refs.resolve(ref), oid, ref);
    assert.deepEqual(leftLocks(dir), []);
    return flushed;
  };
  const names = Array.from({ length: 1_500 }, (_, i) => `refs/heads/${i % 3 === 0 ? `f${i}/é/x` : `b${i}`}`);
  const created = await run([
    ...names.map((ref) => ({ ref, old: null, new: one })),
    { ref: 'refs/heads/zz/loose', old: one, new: two },
  ]);
  assert.ok(created < 20, `${created} flushes`);
  assert.ok(readFileSync(join(dir, 'packed-refs'), 'latin1').includes(' peeled fully-peeled sorted'));
  assert.deepEqual(
    readdirSync(join(dir, 'refs/heads'), { recursive: true, withFileTypes: true }).map(({ name }) => name),
    [],
  );
  await repo.refs.transaction([{ ref: names[1]!, old: one, new: two }]);
  const moved = await run(names.map((ref, i) => ({ ref, old: i === 1 ? two : one, new: i === 1 ? one : two })));
  assert.ok(moved < 20, `${moved} flushes`);
  // Tags may have to be peeled: git is not told that they are.
  await run(names.slice(0, 200).map((_, i) => ({ ref: `refs/tags/t${i}`, old: null, new: tag })));
  assert.equal(git(['rev-parse', 'refs/tags/t7^{}']), one);
  assert.equal(git(['for-each-ref', '--format=%(*objectname)', 'refs/tags/t7']), one);
  assert.ok(git(['show-ref', '-d', 't7']).includes(`${one} refs/tags/t7^{}`));
  const before = await listed(fixture, 'refs/');
  const refused = names.map((ref) => ({ ref: `${ref}/below`, old: null, new: one }));
  await assert.rejects(repo.refs.transaction(refused), hasCode('conflict'));
  await assert.rejects(
    repo.refs.transaction([
      ...names.slice(2).map((ref) => ({ ref, old: two, new: one })),
      { ref: names[0]!, old: one, new: one },
    ]),
    hasCode('conflict'),
  );
  assert.deepEqual(leftLocks(dir), []);
  assert.deepEqual(await listed(fixture, 'refs/'), before);
  assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
  const deleted = await run(names.map((ref, i) => ({ ref, old: i === 1 ? one : two, new: null })));
  assert.ok(deleted < 20, `${deleted} flushes`);
  assert.equal(git(['rev-parse', 'refs/heads/between']), one);
  git(['fsck', '--strict']);
});

test('files of many references are locked and removed apart from the thread of the requests', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, dir } = fixture;
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  const names = Array.from({ length: 300 }, (_, i) => `refs/heads/${i % 3 === 0 ? `f${i}/x` : `b${i}`}`);
  git(['update-ref', '--stdin'], names.map((ref) => `create ${ref} ${one}\n`).join(''));
  // Somebody else's, for a moment.
  const held = join(dir, `${names[151]}.lock`);
  writeFileSync(held, '');
  setTimeout(() => rmSync(held), 20);
  const { openSync, lstatSync } = fs;
  const { unlink } = fs.promises;
  t.after(() => {
    Object.assign(fs, { openSync, lstatSync });
    Object.assign(fs.promises, { unlink });
    syncBuiltinESMExports();
  });
  let here = 0;
  const counted =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      if (String(args[0]).includes('/refs/heads/')) here += 1;
      return call(...args);
    };
  fs.openSync = counted(openSync);
  fs.lstatSync = counted(lstatSync as typeof fs.lstatSync) as typeof fs.lstatSync;
  fs.promises.unlink = counted(unlink);
  syncBuiltinESMExports();
  await repo.refs.transaction(names.map((ref) => ({ ref, old: one, new: two })));
  assert.ok(here < 20, `${here} files here`);
  assert.deepEqual(await listed(fixture, 'refs/'), forEachRef(fixture, 'refs/'));
  here = 0;
  await repo.refs.transaction(names.slice(1).map((ref) => ({ ref, old: two, new: null })));
  assert.ok(here < 20, `${here} files here`);
  assert.deepEqual(forEachRef(fixture, 'refs/heads'), [`${two} ${names[0]}`]);
  assert.deepEqual(leftLocks(dir), []);
  writeFileSync(join(dir, 'refs/heads/broken'), 'x');
  const more = names.slice(1).map((ref) => ({ ref, old: null, new: one }));
  await assert.rejects(
    repo.refs.transaction([...more, { ref: 'refs/heads/broken', old: null, new: one }]),
    hasCode('corrupt'),
  );
  writeFileSync(held, '');
  await assert.rejects(repo.refs.transaction(more), hasCode('locked'));
  assert.deepEqual(forEachRef(fixture, 'refs/heads/b1'), []);
  assert.deepEqual(leftLocks(dir), [`${names[151]}.lock`]);
});

test('a writer of many references that is fenced off changes nothing, and leaves its locks', async (t) => {
  const { repo, commit, dir, git } = gitFixture(t);
  const one = commit({ a: '1' });
  const names = Array.from({ length: 120 }, (_, i) => `refs/heads/b${i}`);
  const fence = () => Promise.reject(new Error('fenced off'));
  const updates = names.map((ref) => ({ ref, old: null, new: one }));
  await assert.rejects(repo.refs.transaction(updates, { fence }), { message: 'fenced off' });
  assert.deepEqual(git(['for-each-ref']), '');
  assert.equal(leftLocks(dir).length, names.length + 1);
  for (const lock of leftLocks(dir)) rmSync(join(dir, lock));
  await repo.refs.transaction(updates, { fence: async () => {} });
  assert.equal(git(['for-each-ref']).split('\n').length, names.length);
});

test('a writer that is fenced off changes nothing, and leaves its locks to whoever has them by now', async (t) => {
  const { repo, commit, dir } = gitFixture(t);
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  await repo.refs.transaction([{ ref: 'refs/heads/main', old: null, new: one }]);
  const fence = () => Promise.reject(new Error('fenced off'));
  const main: RefUpdate = { ref: 'refs/heads/main', old: one, new: two };
  for (const updates of [[main], [{ ...main, new: null }], [{ ...main, old: two }]]) {
    await assert.rejects(repo.refs.transaction(updates, { fence }), { message: 'fenced off' });
    assert.ok(existsSync(join(dir, 'refs/heads/main.lock')));
    for (const lock of ['refs/heads/main.lock', 'packed-refs.lock']) rmSync(join(dir, lock), { force: true });
  }
  assert.equal(await repo.refs.resolve('refs/heads/main'), one);
  await repo.refs.transaction([main], { fence: async () => {} });
  assert.equal(await repo.refs.resolve('refs/heads/main'), two);
  assert.deepEqual(leftLocks(dir), []);
});

test('a reference moves once the objects are stored that it is to point to, and not at all where they cannot be', async (t) => {
  const fixture = gitFixture(t);
  const { repo, commit, dir } = fixture;
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  const main: RefUpdate = { ref: 'refs/heads/main', old: one, new: two };
  await repo.refs.transaction([{ ...main, old: null, new: one }]);
  const { promise: stored, resolve } = Promise.withResolvers<ReadonlySet<string>>();
  const moved = repo.refs.transaction([main], { stored });
  while (leftLocks(dir).length === 0) await nextTurn();
  assert.equal(readFileSync(join(dir, 'refs/heads/main'), 'utf8'), `${one}\n`);
  resolve(new Set([two]));
  await moved;
  assert.equal(await repo.refs.resolve('refs/heads/main'), two);
  const failed = Promise.reject(new Error('no space'));
  failed.catch(() => {});
  await assert.rejects(repo.refs.transaction([{ ...main, old: two, new: one }], { stored: failed }), {
    message: 'no space',
  });
  const missing = { ...main, old: two, new: '1'.repeat(40) };
  await assert.rejects(repo.refs.transaction([missing], { stored: Promise.resolve(new Set()) }), hasCode('invalid'));
  assert.equal(await repo.refs.resolve('refs/heads/main'), two);
  assert.deepEqual(leftLocks(dir), []);
});
