import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitFixture, gitChildren, gitFixture } from '../../test/support/git-fixture.ts';
import { GitError, type GitErrorCode } from './errors.ts';
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

test('a transaction creates, moves and deletes together, and refuses as a whole', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, commit, pool } = fixture;
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
  assert.ok(pool.processes <= 2);
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

test('one process serves many transactions, and another takes over where it dies', async (t) => {
  const { repo, pool, commit, dir } = gitFixture(t);
  const oids = [commit({ a: '1' }), commit({ a: '2' })];
  let old: string | null = null;
  for (let round = 0; round < 600; round += 1) {
    const next: string = oids[round % 2]!;
    const done = repo.refs.transaction([{ ref: 'refs/heads/main', old, new: next }]);
    if (round === 300) repo.refs.retire();
    await done;
    old = next;
  }
  assert.equal(readFileSync(join(dir, 'refs/heads/main'), 'latin1').trim(), old);
  assert.ok(pool.processes <= 2);
});

test('a killed process leaves no transaction half done and no lock', async (t) => {
  const { repo, commit, dir, git } = gitFixture(t);
  const oids = [commit({ a: '1' }), commit({ a: '2' })];
  const names = Array.from({ length: 40 }, (_, i) => `refs/heads/n${i}`);
  const updates = (old: string | null, next: string) => names.map((ref) => ({ ref, old, new: next }));
  await repo.refs.transaction(updates(null, oids[0]!));
  let current = oids[0]!;
  for (let round = 0; round < 15; round += 1) {
    const next = current === oids[0] ? oids[1]! : oids[0]!;
    const done = repo.refs.transaction(updates(current, next)).then(
      () => true,
      () => false,
    );
    await sleep(round % 5);
    for (const pid of gitChildren(dir)) process.kill(pid, 'SIGKILL');
    if (await done) current = next;
    const held = new Set(git(['for-each-ref', '--format=%(objectname)']).split('\n'));
    assert.deepEqual([...held], [current]);
  }
  await repo.refs.transaction(updates(current, oids[0]!));
});
