import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
const ROLES = ['guest', 'reporter', 'developer', 'maintainer', 'owner', 'stranger'] as const;
type Role = (typeof ROLES)[number];
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function staffed(visibility: 'public' | 'private' | 'internal' = 'public', columns: Partial<Project> = {}) {
  const project = await app.make.project({ visibility, columns });
  return { project, people: await app.make.members(project), base: `/projects/${project.id}/snippets` };
}

const BODY = { title: 'Title', files: [{ file_path: 'a.txt', content: 'text' }] };

async function make(base: string, { token }: TestUser, json: Json = {}): Promise<{ id: number } & Json> {
  return expectStatus<{ id: number } & Json>(await app.post(base, { token, json: { ...BODY, ...json } }), 201);
}

/** Status of a request as each user, anonymous callers last. */
async function statuses(
  people: Record<Role, TestUser>,
  send: (token: string | null) => Promise<{ statusCode: number }>,
) {
  const seen: Record<string, number> = {};
  for (const role of ROLES) seen[role] = (await send(people[role].token)).statusCode;
  seen.anonymous = (await send(null)).statusCode;
  return seen;
}

/** Folder of the repository of a snippet. */
async function folderOf(id: number): Promise<string> {
  const row = await app.deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return app.deps.storages.dirOf({ storage: row.repository_storage, diskPath: row.disk_path });
}

describe("a project's snippets", () => {
  test('are made by Reporters and up', async () => {
    const { people, base, project } = await staffed();
    assert.deepEqual(await statuses(people, (token) => app.post(base, { token, json: BODY })), {
      guest: 403,
      reporter: 201,
      developer: 201,
      maintainer: 201,
      owner: 201,
      stranger: 403,
      anonymous: 401,
    });
    const made = await make(base, people.developer);
    const web = `${app.deps.externalUrl()}/${project.full_path}`;
    assert.deepEqual(
      [made.project_id, made.web_url, made.raw_url, made.http_url_to_repo, made.ssh_url_to_repo, made.visibility],
      [
        project.id,
        `${web}/-/snippets/${made.id}`,
        `${web}/-/snippets/${made.id}/raw`,
        `${web}/snippets/${made.id}.git`,
        `git@127.0.0.1:${project.full_path}/snippets/${made.id}.git`,
        'private',
      ],
    );
    const event = await app.deps.db
      .selectFrom('domain_events')
      .selectAll()
      .where('type', '=', 'snippet.created')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    assert.deepEqual([event.project_id, event.actor_id], [project.id, people.developer.user.id]);
    const { people: insiders, base: hidden } = await staffed('private');
    expectStatus(await app.post(hidden, { token: insiders.stranger.token, json: BODY }), 404);
  });

  test('that are private are hidden from non-members of a public project, wherever they are asked for', async () => {
    const { people, base } = await staffed();
    const { id } = await make(base, people.reporter);
    const expected = { guest: 200, reporter: 200, developer: 200, maintainer: 200, owner: 200 };
    for (const path of [`${base}/${id}`, `/snippets/${id}`]) {
      for (const rest of ['', '/raw', '/files/main/a.txt/raw']) {
        const seen = await statuses(people, (token) => app.get(path + rest, { token }));
        assert.deepEqual(seen, { ...expected, stranger: 404, anonymous: 404 }, path + rest);
      }
      const detail = await statuses(people, (token) => app.get(`${path}/user_agent_detail`, { token }));
      assert.ok(Object.values(detail).every((status) => status === 403 || status === 401));
    }
    const listed = async (path: string, token: string | null) =>
      expectStatus<Json[]>(await app.get(path, { token }), 200).some((each) => each.id === id);
    assert.equal(await listed(base, people.stranger.token), false);
    assert.equal(await listed(base, null), false);
    assert.equal(await listed('/snippets/all', people.stranger.token), false);
    for (const role of ['guest', 'owner'] as const) {
      assert.equal(await listed(base, people[role].token), true);
      assert.equal(await listed('/snippets/all', people[role].token), true);
    }
    assert.equal(await listed('/snippets', people.reporter.token), true);
  });

  test('that are public are for whoever sees the project, and not in the list of public ones', async () => {
    const open = await staffed();
    const closed = await staffed('private');
    for (const { people, base, outside } of [
      { ...open, outside: 200 },
      { ...closed, outside: 404 },
    ]) {
      const { id } = await make(base, people.reporter, { visibility: 'public' });
      const seen = await statuses(people, (token) => app.get(`${base}/${id}`, { token }));
      assert.deepEqual([seen.guest, seen.stranger, seen.anonymous], [200, outside, outside]);
      const ids = async (path: string) =>
        expectStatus<Json[]>(await app.get(path, { token: people.stranger.token }), 200).map((each) => each.id);
      assert.equal((await ids('/snippets/all')).includes(id), outside === 200);
      assert.equal((await ids('/snippets/public')).includes(id), false);
    }
  });

  test('are changed and removed by their author, Maintainers and administrators', async () => {
    const { people, base } = await staffed();
    const { id } = await make(base, people.reporter, { visibility: 'public' });
    const seen = await statuses(people, (token) => app.put(`${base}/${id}`, { token, json: { title: 'New' } }));
    const nobody = { guest: 403, developer: 403, stranger: 403, anonymous: 401 };
    assert.deepEqual(seen, { ...nobody, reporter: 200, maintainer: 200, owner: 200 });
    const files = [{ action: 'update', file_path: 'a.txt', content: 'other' }];
    expectStatus(await app.put(`${base}/${id}`, { json: { files } }), 200);
    expectStatus(await app.put(`/snippets/${id}`, { token: people.developer.token, json: { files } }), 403);
    expectStatus(await app.put(`/snippets/${id}`, { token: people.owner.token, json: { files } }), 200);
    for (const role of ['guest', 'developer', 'stranger'] as const) {
      expectStatus(await app.delete(`${base}/${id}`, { token: people[role].token }), 403);
    }
    expectStatus(await app.delete(`${base}/${id}`, { token: people.maintainer.token }), 204);
    // An author who may not make snippets any more cannot change their own.
    const own = await make(base, people.reporter);
    await app.deps.db
      .updateTable('members')
      .set({ access_level: 10 })
      .where('user_id', '=', people.reporter.user.id)
      .execute();
    expectStatus(await app.put(`${base}/${own.id}`, { token: people.reporter.token, json: { title: 'x' } }), 403);
  });

  test('are found under their own project alone', async () => {
    const one = await staffed();
    const two = await staffed();
    const { id } = await make(one.base, one.people.owner, { visibility: 'public' });
    expectStatus(await app.get(`${two.base}/${id}`), 404);
    expectStatus(await app.put(`${two.base}/${id}`, { json: { title: 'x' } }), 404);
    expectStatus(await app.delete(`${two.base}/${id}`), 404);
    const personal = expectStatus<Json>(await app.post('/snippets', { json: { ...BODY, visibility: 'public' } }), 201);
    expectStatus(await app.get(`${one.base}/${personal.id}`), 404);
    assert.deepEqual(expectStatus(await app.get(two.base), 200), []);
  });

  test('are not there where the project has closed them, and cannot be changed in an archived one', async () => {
    const { people, base, project } = await staffed();
    const { id } = await make(base, people.owner, { visibility: 'public' });
    const set = (columns: Partial<Project>) =>
      app.deps.db.updateTable('projects').set(columns).where('id', '=', project.id).execute();
    await set({ snippets_access_level: 'disabled' });
    const { token } = people.owner;
    for (const path of [base, `${base}/${id}`, `/snippets/${id}`]) expectStatus(await app.get(path, { token }), 404);
    expectStatus(await app.post(base, { token, json: BODY }), 404);
    const ids = async (caller: TestUser, path = '/snippets/all') =>
      expectStatus<Json[]>(await app.get(path, { token: caller.token }), 200).map((each) => each.id);
    assert.ok(!(await ids(people.owner)).includes(id));
    assert.ok(!(await ids(people.owner, '/snippets')).includes(id));
    await set({ snippets_access_level: 'private' });
    expectStatus(await app.get(`${base}/${id}`, { token: people.stranger.token }), 404);
    assert.ok(!(await ids(people.stranger)).includes(id));
    assert.ok((await ids(people.guest)).includes(id));
    await set({ snippets_access_level: 'enabled', archived: 1 });
    expectStatus(await app.get(`${base}/${id}`, { token }), 200);
    expectStatus(await app.post(base, { token, json: BODY }), 403);
    expectStatus(await app.put(`${base}/${id}`, { token, json: { title: 'x' } }), 403);
  });
});

describe('removing', () => {
  const remains = async (id: number) =>
    (await app.deps.db.selectFrom('snippets').select('id').where('id', '=', id).execute()).length;

  test('a snippet takes its repository, its comments and its reactions along', async () => {
    const { people, base, project } = await staffed();
    const { id } = await make(base, people.owner);
    const { db, clock } = app.deps;
    const now = clock.now().toISOString();
    await db
      .insertInto('award_emoji')
      .values({
        awardable_type: 'Snippet',
        awardable_id: id,
        user_id: people.owner.user.id,
        project_id: project.id,
        name: 'heart',
        created_at: now,
        updated_at: now,
      })
      .execute();
    const dir = await folderOf(id);
    const { token } = people.owner;
    const early = { 'if-unmodified-since': new Date(0).toUTCString() };
    expectStatus(await app.delete(`${base}/${id}`, { token, headers: early }), 412);
    expectStatus(await app.delete(`${base}/${id}`, { token }), 204);
    expectStatus(await app.get(`${base}/${id}`, { token }), 404);
    expectStatus(await app.delete(`${base}/${id}`, { token }), 404);
    assert.deepEqual(await db.selectFrom('award_emoji').select('id').where('awardable_id', '=', id).execute(), []);
    assert.equal(existsSync(dir), true);
    await app.drain();
    assert.equal(existsSync(dir), false);
    const event = await db
      .selectFrom('domain_events')
      .selectAll()
      .where('type', '=', 'snippet.destroyed')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    const { snippet: snippetFacts, ...payload } = JSON.parse(event.payload);
    assert.deepEqual(payload, { snippet_id: id, project_id: project.id, title: 'Title' });
    assert.equal(snippetFacts.title, 'Title');
  });

  test('a project takes the repositories of its snippets along', async () => {
    const { people, base, project } = await staffed();
    const dirs = await Promise.all([1, 2].map(async () => folderOf((await make(base, people.owner)).id)));
    expectStatus(await app.delete(`/projects/${project.id}`), 202);
    await app.drain();
    for (const dir of dirs) assert.equal(existsSync(dir), false);
  });

  test('a user takes their personal snippets along and leaves those of projects to the ghost', async () => {
    for (const hard of [false, true]) {
      const { people, base } = await staffed();
      const { user } = people.reporter;
      const shared = await make(base, people.reporter);
      const own = await make('/snippets', people.reporter);
      const dirs = [await folderOf(shared.id), await folderOf(own.id)];
      expectStatus(await app.delete(`/users/${user.id}`, { query: { hard_delete: hard } }), 204);
      await app.drain();
      assert.deepEqual(
        dirs.map((dir) => existsSync(dir)),
        [!hard, false],
      );
      assert.deepEqual([await remains(shared.id), await remains(own.id)], [hard ? 0 : 1, 0]);
      if (hard) continue;
      const left = expectStatus<{ author: Json }>(await app.get(`${base}/${shared.id}`), 200);
      assert.equal(left.author.name, 'Ghost User');
    }
  });
});
