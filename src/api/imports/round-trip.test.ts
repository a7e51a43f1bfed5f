import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { askImport, drainBoth, sendArchive } from '../../../test/support/imports.ts';
import { richProject, shownProject } from '../../../test/support/rich-project.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { moveContributions } from './placeholder-reassignments/contributions.ts';

type Json = Record<string, unknown>;
/** Where people stand in what is imported. */
const NAMED = [
  ['issues', 'author_id'],
  ['merge_requests', 'author_id'],
  ['notes', 'author_id'],
  ['award_emoji', 'user_id'],
  ['time_logs', 'user_id'],
  ['resource_events', 'user_id'],
  ['issuable_assignees', 'user_id'],
  ['merge_request_reviewers', 'user_id'],
  ['approvals', 'user_id'],
  ['approval_rule_users', 'user_id'],
  ['releases', 'author_id'],
  ['snippets', 'author_id'],
  ['pipelines', 'user_id'],
  ['ci_jobs', 'user_id'],
] as const;
let source: TestApp;
let app: TestApp;
let project: Project;
let was: Json;
before(async () => {
  source = await buildTestApp();
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: true } }), 200);
  project = await richProject(source);
  was = await shownProject(source, project.id);
});
after(async () => {
  await app.close();
  await source.close();
});

/** The files to which the first issue and what was said of it point, as the project has them. */
async function filesOf(of: TestApp, id: unknown): Promise<string[]> {
  const issue = expectStatus<Json>(await of.get(`/projects/${id}/issues/1`), 200);
  const notes = expectStatus<Json[]>(await of.get(`/projects/${id}/issues/1/notes`), 200);
  const texts = [issue.description, ...notes.map(({ body }) => body)].join(' ');
  const contents: string[] = [];
  for (const [address] of texts.matchAll(/\/uploads\/[0-9a-f]{32}\/a\.txt/g)) {
    contents.push((await of.get(`/projects/${id}${address}`)).body);
  }
  return contents;
}

/** Addresses of files are another's where they are taken on the server. */
const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/\/uploads\/[0-9a-f]{32}\//g, '/uploads/'));

function assertSame(exportedLists: Json): void {
  const different = Object.entries(was).flatMap(([list, value]) => {
    try {
      assert.deepEqual(withoutSecrets(exportedLists[list]), withoutSecrets(value));
      return [];
    } catch (error) {
      return [`${list}: ${(error as Error).message}`];
    }
  });
  assert.equal(different.join('\n'), '');
}

test('a group comes to another server with everything that was in its projects', async () => {
  const asked = await askImport(app, await source.listen(), { source_full_path: 'rich' });
  const made = expectStatus<Json>(asked, 201);
  await drainBoth(app, source);
  const entities = expectStatus<Json[]>(await app.get(`/bulk_imports/${made.id}/entities`), 200);
  assert.deepEqual(
    entities.map(({ status, failures }) => [status, failures]),
    [
      ['finished', []],
      ['finished', []],
    ],
  );
  const { stats, project_id } = entities[1]! as { stats: Record<string, Json>; project_id: number };
  for (const [relation, { source, imported }] of Object.entries(stats)) assert.equal(imported, source, relation);
  assertSame(await shownProject(app, project_id));
  assert.deepEqual(await filesOf(app, project_id), ['of the upload', 'of the upload']);
});

test('what placeholders have of all of it can be given to users, who may have reacted and approved already', async () => {
  const { db } = app.deps;
  const placeholders = await db.selectFrom('users').select('id').where('kind', '=', 'placeholder').execute();
  assert.ok(placeholders.length >= 3);
  const { user, token } = await app.make.user();
  const copied = await db
    .selectFrom('projects')
    .selectAll()
    .where('full_path', '=', 'copy/tool')
    .executeTakeFirstOrThrow();
  await app.make.member({ project: copied }, user, 40);
  const place = `/projects/${copied.id}`;
  expectStatus(await app.post(`${place}/issues/1/award_emoji`, { token, json: { name: 'thumbsup' } }), 201);
  const names = Object.fromEntries(placeholders.map(({ id }) => [id, []]));
  const columnsNaming = async () => {
    const columnsById: Record<string, string[]> = structuredClone(names);
    for (const [table, column] of NAMED) {
      const { rows } = await sql<{ id: number; count: number }>`select ${sql.ref(column)} as id, count(*) as count
        from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(placeholders.map(({ id }) => id))})
        group by ${sql.ref(column)}`.execute(db);
      for (const { id } of rows) columnsById[id]!.push(`${table}.${column}`);
    }
    return columnsById;
  };
  const before = Object.values(await columnsNaming()).flat();
  for (const [table, column] of NAMED) assert.ok(before.includes(`${table}.${column}`), `${table}.${column}`);
  for (const { id: from } of placeholders) {
    await moveContributions((move) => db.transaction().execute(move), { from, to: user.id });
  }
  assert.deepEqual(await columnsNaming(), names);
  const thumbs = expectStatus<Json[]>(await app.get(`${place}/issues/1/award_emoji`), 200);
  assert.deepEqual(
    thumbs.map(({ name, user }) => [name, (user as Json).id]),
    [['thumbsup', user.id]],
  );
});

test('a project comes back out of its archive with everything that was in it', async () => {
  expectStatus(await source.post(`/projects/${project.id}/export`), 202);
  await source.drain();
  const { rawPayload: bytes } = await source.get(`/projects/${project.id}/export/download`);
  const group = await app.make.group();
  const sent = await sendArchive(app, 'projects', bytes, { path: 'back', namespace: group.full_path });
  const made = expectStatus<Json>(sent, 201);
  await app.drain();
  const done = expectStatus<Json>(await app.get(`/projects/${made.id}/import`), 200);
  assert.deepEqual([done.import_status, done.failed_relations, done.import_error], ['finished', [], null]);
  assertSame(await shownProject(app, made.id));
  assert.deepEqual(await filesOf(app, made.id), ['of the upload', 'of the upload']);
});

test('a copy on the same server has files of its own, to which its texts point', async () => {
  expectStatus(await source.post(`/projects/${project.id}/export`), 202);
  await source.drain();
  const { token } = await source.make.user({ admin: true });
  const { rawPayload: bytes } = await source.get(`/projects/${project.id}/export/download`, { token });
  const made = expectStatus<Json>(await sendArchive(source, 'projects', bytes, { path: 'beside' }, token), 201);
  await source.drain();
  expectStatus(await source.delete(`/projects/${project.id}`), 202);
  assert.deepEqual(await filesOf(source, made.id), ['of the upload', 'of the upload']);
});
