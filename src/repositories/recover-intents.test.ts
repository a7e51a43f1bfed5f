import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../test/support/app.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { writeActions } from '../git/commits/index.ts';
import { repositoryOf } from './change-refs.ts';
import { recoverIntents, recoverIntentsAtStart } from './recover-intents.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
beforeEach(async () => {
  app = await buildTestApp({ clock });
  app.deps.alone = true;
  project = await app.make.project();
});
afterEach(() => app.close());

const repo = () => repositoryOf(app.deps, project);

async function commit(text: string, base: string | null = null): Promise<string> {
  const who = { name: 'Ada', email: 'ada@example.com', date: clock.now() };
  const actions = [{ action: 'create' as const, path: `${text}.txt`, content: Buffer.from(text) }];
  return (await writeActions(repo(), { base, actions, author: who, committer: who, message: text })).oid;
}

/** What a process leaves that dies after it has stored its intent. */
async function leaveIntent(updates: RefChange[], wasEmpty = false): Promise<void> {
  await app.deps.db
    .insertInto('ref_intents')
    .values({
      project_id: project.id,
      user_id: 1,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via: 'git', pushOptions: ['ci.skip'], wasEmpty }),
      created_at: clock.now().toISOString(),
    })
    .execute();
}

const intents = () => app.deps.db.selectFrom('ref_intents').selectAll().execute();

async function events(): Promise<{ updates: RefChange[]; push_options: string[]; via: string }[]> {
  const rows = await app.deps.db
    .selectFrom('domain_events')
    .select('payload')
    .where('type', '=', 'push')
    .where('project_id', '=', project.id)
    .orderBy('id')
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload));
}

describe('an intent of a dead process', () => {
  test('whose refs have moved gets its event', async () => {
    const updates = [{ ref: 'refs/heads/a', old: null, new: await commit('a') }];
    await leaveIntent(updates);
    await repo().refs.transaction(updates);
    await recoverIntents(app.deps);
    const default_branch = { name: 'main', sha: null };
    assert.deepEqual(await events(), [
      { project_id: project.id, updates, push_options: ['ci.skip'], via: 'git', default_branch },
    ]);
    assert.deepEqual(await intents(), []);
    await recoverIntents(app.deps);
    assert.equal((await events()).length, 1);
  });

  test('whose refs have not moved is dropped', async () => {
    await leaveIntent([{ ref: 'refs/heads/a', old: null, new: await commit('a') }]);
    await recoverIntents(app.deps);
    assert.deepEqual(await events(), []);
    assert.deepEqual(await intents(), []);
    assert.deepEqual(await repo().refs.list('refs/'), []);
  });

  test('of which one ref has moved is finished, past the locks it left', async () => {
    const [first, second] = [await commit('a'), await commit('b')];
    const updates = [
      { ref: 'refs/heads/a', old: null, new: first },
      { ref: 'refs/heads/b', old: null, new: second },
    ];
    await leaveIntent(updates);
    await repo().refs.transaction(updates.slice(0, 1));
    const lock = join(repo().dir, 'refs/heads/b.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    await recoverIntents(app.deps);
    const refs = (await repo().refs.list('refs/heads/')).map(({ oid }) => oid);
    assert.deepEqual(refs, [first, second]);
    assert.deepEqual(
      (await events()).map((event) => event.updates),
      [updates],
    );
  });

  test('that was the first push makes and protects the default branch', async () => {
    const updates = [{ ref: 'refs/heads/trunk', old: null, new: await commit('a') }];
    await leaveIntent(updates, true);
    await repo().refs.transaction(updates);
    await recoverIntents(app.deps);
    const branch = expectStatus(await app.get(`/projects/${project.id}/repository/branches/trunk`), 200);
    assert.deepEqual([branch.default, branch.protected], [true, true]);
  });

  test('of a project that is gone does no harm', async () => {
    await leaveIntent([{ ref: 'refs/heads/a', old: null, new: await commit('a') }]);
    await app.deps.db.deleteFrom('projects').where('id', '=', project.id).execute();
    await recoverIntents(app.deps);
    assert.deepEqual(await intents(), []);
  });
});

describe('beside other servers', () => {
  test('a young intent may be a neighbour’s and is left', async () => {
    const updates = [{ ref: 'refs/heads/a', old: null, new: await commit('a') }];
    await leaveIntent(updates);
    app.deps.alone = false;
    await recoverIntents(app.deps);
    assert.equal((await intents()).length, 1);
    await repo().refs.transaction(updates);
    clock.advance(3_600_000);
    await recoverIntents(app.deps);
    assert.equal((await intents()).length, 0);
    assert.equal((await events()).length, 1);
  });

  test('what a neighbour built on is known to have happened', async () => {
    const first = await commit('a');
    const updates = [{ ref: 'refs/heads/a', old: null, new: first }];
    await leaveIntent(updates);
    await repo().refs.transaction(updates);
    const form = `branch=a&commit_message=next&content=b`;
    expectStatus(await app.post(`/projects/${project.id}/repository/files/b.txt`, { form }), 201);
    app.deps.alone = false;
    clock.advance(3_600_000);
    await recoverIntents(app.deps);
    // Where several processes serve, what a write builds on is recorded before it.
    const order = app.deps.config.database.kind === 'postgres' ? [null, first] : [first, null];
    assert.deepEqual(
      (await events()).map((event) => event.updates[0]?.old),
      order,
    );
  });
});

describe('the start beside other servers', () => {
  /** A write whose server is gone, and the lock that it left. */
  async function leaveLocked(): Promise<string> {
    const ref = 'refs/heads/a';
    const head = expectStatus<{ file_path: string }>(
      await app.post(`/projects/${project.id}/repository/files/x.txt`, { form: 'branch=a&commit_message=x&content=x' }),
      201,
    );
    assert.equal(head.file_path, 'x.txt');
    const old = await repo().refs.resolve(ref);
    await leaveIntent([{ ref, old, new: await commit('b', old) }]);
    app.deps.alone = false;
    clock.advance(3_600_000);
    const lock = join(repo().dir, `${ref}.lock`);
    writeFileSync(lock, '');
    return lock;
  }

  test('waits for a lock that is too young to be removed', async () => {
    const lock = await leaveLocked();
    await assert.rejects(recoverIntents(app.deps), /still exists/);
    await recoverIntentsAtStart(app.deps);
    assert.deepEqual([await intents(), existsSync(lock)], [[], false]);
  });

  test('goes on without what a lock that stays holds', async () => {
    await leaveIntent([{ ref: 'refs/heads/a', old: await commit('a'), new: null }]);
    app.deps.alone = false;
    clock.advance(3_600_000);
    // Git itself waits longer for this one.
    writeFileSync(join(repo().dir, 'packed-refs.lock'), '');
    await recoverIntentsAtStart(app.deps);
    assert.equal((await intents()).length, 1);
  });
});

describe('a lock in the way of a write', () => {
  const write = () =>
    app.post(`/projects/${project.id}/repository/files/a.txt`, { form: 'branch=main&commit_message=x&content=a' });

  test('that is older than the server is removed', async () => {
    const lock = join(repo().dir, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    expectStatus(await write(), 201);
  });

  test('that is younger belongs to somebody', async () => {
    writeFileSync(join(repo().dir, 'refs/heads/main.lock'), '');
    expectStatus(await write(), 503);
    assert.deepEqual(await intents(), []);
    assert.deepEqual(await events(), []);
  });
});
