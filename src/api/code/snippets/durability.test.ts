import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { reachedByMaintenance } from '../../../../test/support/maintenance.ts';
import type { ChangeCause } from '../../../core/change-cause.ts';
import type { RefChange } from '../../../db/tables/ref-intents.table.ts';
import type { Snippet } from '../../../db/tables/snippets.table.ts';
import { writeActions } from '../../../git/commits/index.ts';
import { createRepository } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { recoverIntents } from '../../../repositories/recover-intents.ts';
import { removeUnlessUsed } from '../../../repositories/repository.removal.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
beforeEach(async () => {
  app = await buildTestApp({ clock });
  app.deps.alone = true;
});
afterEach(() => app.close());

const FILES = [{ file_path: 'a.txt', content: 'first' }];

async function make(): Promise<Snippet> {
  const json = { title: 'Title', files: FILES };
  const { id } = expectStatus<{ id: number }>(await app.post('/snippets', { json }), 201);
  return app.deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

const shown = async ({ id }: Snippet) => expectStatus<Json>(await app.get(`/snippets/${id}`), 200);
const repo = (snippet: Snippet) => repositoryOf(app.deps, snippet);
const events = async (type: string) =>
  (await app.deps.db.selectFrom('domain_events').select('id').where('type', '=', type).execute()).length;

/** All folders of repositories. */
const folders = () => {
  const root = app.deps.storages.list[0]!.path;
  return globSync('@hashed/*/*', { cwd: root }).flatMap((parent) => readdirSync(join(root, parent)));
};

/** State left by a process that dies after storing the intent of an update. */
async function leaveIntent(snippet: Snippet, title: string): Promise<RefChange[]> {
  const old = await repo(snippet).refs.resolve('refs/heads/main');
  const who = { name: 'Ada', email: 'ada@example.com', date: clock.now() };
  const actions = [{ action: 'move' as const, path: 'b.txt', previousPath: 'a.txt' }];
  const { oid } = await writeActions(repo(snippet), { base: old, actions, author: who, committer: who, message: 'x' });
  const updates = [{ ref: 'refs/heads/main', old, new: oid }];
  const cause: ChangeCause = { type: 'snippet_update', changes: { title, visibility: 'public' } };
  await app.deps.db
    .insertInto('ref_intents')
    .values({
      snippet_id: snippet.id,
      user_id: 1,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via: 'api', pushOptions: [], cause, wasEmpty: false }),
      created_at: clock.now().toISOString(),
    })
    .execute();
  return updates;
}

describe('a process that dies', () => {
  test('after the branch has moved leaves an update that is completed: names, attributes and events', async () => {
    const snippet = await make();
    await repo(snippet).refs.transaction(await leaveIntent(snippet, 'New title'));
    await recoverIntents(app.deps);
    const { title, visibility, file_name } = await shown(snippet);
    assert.deepEqual([title, visibility, file_name], ['New title', 'public', 'b.txt']);
    assert.deepEqual([await events('snippet.updated'), await events('snippet.pushed')], [1, 1]);
    await recoverIntents(app.deps);
    assert.equal(await events('snippet.updated'), 1);
  });

  test('before that leaves nothing of the update', async () => {
    const snippet = await make();
    await leaveIntent(snippet, 'New title');
    await recoverIntents(app.deps);
    const { title, visibility, file_name } = await shown(snippet);
    assert.deepEqual([title, visibility, file_name], ['Title', 'internal', 'a.txt']);
    assert.deepEqual(await app.deps.db.selectFrom('ref_intents').select('id').execute(), []);
  });

  test('before it writes the row leaves a repository that is removed later', async () => {
    const snippet = await make();
    const location = { storage: snippet.repository_storage, diskPath: app.deps.storages.newDiskPath() };
    await removeUnlessUsed(app.deps, location);
    await createRepository(app.deps.storages.dirOf(location), { defaultBranch: 'main' });
    await app.drain();
    assert.equal(folders().length, 2);
    clock.advance(2 * 3_600_000);
    await app.drain();
    assert.equal(folders().length, 1);
    assert.equal((await app.get(`/snippets/${snippet.id}/raw`)).body, 'first');
  });

  test('while it removes the snippet has its intents removed too', async () => {
    const snippet = await make();
    await leaveIntent(snippet, 'New title');
    expectStatus(await app.delete(`/snippets/${snippet.id}`), 204);
    await recoverIntents(app.deps);
    assert.deepEqual(await app.deps.db.selectFrom('ref_intents').select('id').execute(), []);
    await app.drain();
    assert.deepEqual(folders(), []);
  });
});

test('a snippet that cannot be made leaves no repository', async () => {
  const file = { file_path: 'a', content: 'x' };
  expectStatus(await app.post('/snippets', { json: { title: 't', files: [file, file] } }), 400);
  assert.deepEqual(folders(), []);
  assert.deepEqual(await app.deps.db.selectFrom('snippets').select('id').execute(), []);
});

test('upkeep and sweeping reach the repositories of snippets', async () => {
  const snippet = await make();
  const json = { files: [{ action: 'update', file_path: 'a.txt', content: 'second' }] };
  expectStatus(await app.put(`/snippets/${snippet.id}`, { json }), 200);
  await reachedByMaintenance(app, clock, repo(snippet).dir);
});

test('a read-only repository takes no update, of attributes neither', async () => {
  const snippet = await make();
  await app.deps.db.updateTable('snippets').set({ repository_read_only: 1 }).execute();
  const json = { title: 'New', files: [{ action: 'update', file_path: 'a.txt', content: 'second' }] };
  expectStatus(await app.put(`/snippets/${snippet.id}`, { json }), 400);
  assert.equal((await shown(snippet)).title, 'Title');
});

test('updates at once lose none of their files', async () => {
  const snippet = await make();
  const names = ['b', 'c', 'd', 'e', 'f'];
  const answers = await Promise.all(
    names.map((name) => {
      const files = [{ action: 'create', file_path: name, content: name }];
      return app.put(`/snippets/${snippet.id}`, { json: { files } });
    }),
  );
  for (const response of answers) expectStatus(response, 200);
  const { files } = await shown(snippet);
  assert.deepEqual(
    (files as Json[]).map(({ path }) => path),
    ['a.txt', ...names],
  );
});
