import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let rows: Rows;
let project: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp({ clock });
  rows = new Rows(app.deps);
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
});
after(() => app.close());

const on = (of: Project, kind: string, key: number) => `/projects/${of.id}/${kind}/${key}/notes`;
const by = (user: TestUser) => ({ token: user.token });
const write = (path: string, body: string, user?: TestUser, more: Row = {}) =>
  app.post(path, { json: { body, ...more }, ...(user === undefined ? {} : by(user)) });
const bodies = (list: Row[]) => list.map(({ body }) => body);

test('a note on an issue has all its fields', async () => {
  const issue = await rows.issue(project.id);
  const note = expectStatus(await write(on(project, 'issues', issue.iid), 'Hello @root', users.guest), 201);
  const { author, ...rest } = note;
  assert.equal((author as Row).username, users.guest.user.username);
  assert.deepEqual(rest, {
    id: note.id,
    type: null,
    body: 'Hello @root',
    attachment: null,
    created_at: '2026-06-15T12:00:00.000Z',
    updated_at: '2026-06-15T12:00:00.000Z',
    system: false,
    noteable_id: issue.id,
    noteable_type: 'Issue',
    project_id: project.id,
    resolvable: false,
    confidential: false,
    internal: false,
    imported: false,
    imported_from: 'none',
    noteable_iid: issue.iid,
    commands_changes: {},
  });
  const path = `${on(project, 'issues', issue.iid)}/${note.id}`;
  assert.deepEqual(expectStatus(await app.get(path), 200), note);
  assert.deepEqual(expectStatus(await app.get(path, { token: null }), 200), note);
  const event = await app.deps.db
    .selectFrom('domain_events')
    .select(['payload', 'actor_id'])
    .where('type', '=', 'note.created')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const { note: noteFacts, ...payload } = JSON.parse(event.payload);
  assert.equal(noteFacts.note, note.body);
  assert.deepEqual(payload, {
    note_id: note.id,
    project_id: project.id,
    noteable_type: 'Issue',
    confidential: false,
  });
  assert.equal(event.actor_id, users.guest.user.id);
});

test('merge requests and snippets have notes of the same kind', async () => {
  const change = await makeMergeRequest(app, project);
  const snippet = await rows.snippet(project.id, 'public');
  const seen = { merge_request_diff_head_sha: 'a'.repeat(40) };
  const first = expectStatus(await write(on(project, 'merge_requests', change.iid), 'See !1', undefined, seen), 201);
  assert.deepEqual(
    [first.noteable_type, first.noteable_id, first.noteable_iid],
    ['MergeRequest', change.id, change.iid],
  );
  assert.equal(first.body, 'See !1');
  const second = expectStatus(await write(on(project, 'snippets', snippet.id), 'Nice'), 201);
  assert.deepEqual([second.noteable_type, second.noteable_id, second.noteable_iid], ['Snippet', snippet.id, null]);
  for (const [kind, key, note] of [
    ['merge_requests', change.iid, first],
    ['snippets', snippet.id, second],
  ] as const) {
    assert.deepEqual(expectStatus(await app.get(on(project, kind, key)), 200), [note]);
    assert.deepEqual(expectStatus(await app.get(`${on(project, kind, key)}/${note.id}`), 200), note);
  }
});

test('GET notes sorts, filters by activity and pages', async () => {
  const issue = await rows.issue(project.id);
  const target = { type: 'Issue', id: issue.id, projectId: project.id } as const;
  const path = on(project, 'issues', issue.iid);
  for (const [index, note] of ['a', 'b', 'c'].entries()) {
    await rows.note(target, {
      note,
      created_at: `2026-01-0${index + 1}T00:00:00.000Z`,
      updated_at: `2026-02-0${9 - index}T00:00:00.000Z`,
      system: index === 1 ? 1 : 0,
      system_action: index === 1 ? 'closed' : null,
    });
  }
  const list = async (query: Record<string, string | number>) =>
    bodies(expectStatus<Row[]>(await app.get(path, { query }), 200));
  assert.deepEqual(await list({}), ['c', 'b', 'a']);
  assert.deepEqual(await list({ sort: 'asc' }), ['a', 'b', 'c']);
  assert.deepEqual(await list({ order_by: 'updated_at' }), ['a', 'b', 'c']);
  assert.deepEqual(await list({ order_by: 'updated_at', sort: 'asc' }), ['c', 'b', 'a']);
  assert.deepEqual(await list({ activity_filter: 'only_comments' }), ['c', 'a']);
  assert.deepEqual(await list({ activity_filter: 'only_activity' }), ['b']);
  const response = await app.get(path, { query: { per_page: 2, page: 2 } });
  assert.deepEqual(bodies(expectStatus<Row[]>(response, 200)), ['a']);
  assert.equal(response.headers['x-total'], '3');
  for (const query of [{ order_by: 'id' }, { sort: 'up' }, { activity_filter: 'x' }] as Record<string, string>[]) {
    assert.match(String(expectStatus(await app.get(path, { query }), 400).message), /does not have a valid value$/);
  }
});

test('notes of one thing are not found under another', async () => {
  const other = await app.make.project({ visibility: 'public' });
  const issue = await rows.issue(project.id, { iid: 9001 });
  const neighbour = await rows.issue(project.id, { iid: 9002 });
  const change = await makeMergeRequest(app, project, { iid: 9001 });
  const path = on(project, 'issues', issue.iid);
  const { id } = expectStatus(await write(path, 'Here'), 201);
  for (const wrong of [
    on(other, 'issues', issue.iid),
    on(project, 'issues', neighbour.iid),
    on(project, 'merge_requests', change.iid),
    on(project, 'issues', 424242),
    on(project, 'snippets', issue.id),
  ]) {
    expectStatus(await app.get(`${wrong}/${id}`), 404);
    expectStatus(await app.put(`${wrong}/${id}`, { json: { body: 'x' } }), 404);
    expectStatus(await app.delete(`${wrong}/${id}`), 404);
  }
  expectStatus(await app.get(on(other, 'issues', issue.iid)), 404);
  expectStatus(await write(on(other, 'issues', issue.iid), 'x'), 404);
  expectStatus(await app.get(`${path}/${id}`), 200);
  expectStatus(await app.get(`${path}/424242`), 404);
});

test('POST notes refuses blank and long bodies and takes 300 a minute', async () => {
  const issue = await rows.issue(project.id);
  const path = on(project, 'issues', issue.iid);
  assert.equal(expectStatus(await app.post(path, { json: {} }), 400).message, 'body is missing');
  const blank = expectStatus(await write(path, ' \n'), 400);
  assert.equal(blank.message, '400 Bad request - Note {:note=>["can\'t be blank"]}');
  assert.match(String(expectStatus(await write(path, 'x'.repeat(1_000_001)), 400).message), /too long/);
  expectStatus(await write(path, 'a\0b'), 400);
  const fast = await app.make.user();
  clock.advance(60_000);
  for (let count = 0; count < 300; count += 1) assert.equal((await write(path, 'x', fast)).statusCode, 201);
  expectStatus(await write(path, 'x', fast), 429);
  expectStatus(await write(path, 'x', users.guest), 201);
  clock.advance(60_000);
  expectStatus(await write(path, 'x', fast), 201);
});

test('created_at counts from owners and administrators only', async () => {
  const issue = await rows.issue(project.id);
  const path = on(project, 'issues', issue.iid);
  const created_at = '2020-02-02T02:02:02.000Z';
  const now = clock.now().toISOString();
  const dates = async (user?: TestUser) => {
    const note = expectStatus(await write(path, 'x', user, { created_at }), 201);
    return [note.created_at, note.updated_at];
  };
  assert.deepEqual(await dates(), [created_at, created_at]);
  assert.deepEqual(await dates(users.owner), [created_at, created_at]);
  for (const name of ['stranger', 'developer', 'maintainer'] as const) {
    assert.deepEqual(await dates(users[name]), [now, now], name);
  }
});

test('PUT notes is for the author and for Maintainers, and never for system notes', async () => {
  const issue = await rows.issue(project.id);
  const path = on(project, 'issues', issue.iid);
  const { id } = expectStatus(await write(path, 'old', users.guest), 201);
  const put = (user: TestUser, body = 'new') => app.put(`${path}/${id}`, { json: { body }, ...by(user) });
  for (const name of ['stranger', 'planner', 'reporter', 'developer'] as const) {
    expectStatus(await put(users[name]), 403);
  }
  expectStatus(await app.put(`${path}/${id}`, { json: { body: 'x' }, token: null }), 401);
  clock.advance(1_000);
  const changed = expectStatus(await put(users.guest, 'mine'), 200);
  assert.deepEqual([changed.body, changed.updated_at], ['mine', clock.now().toISOString()]);
  assert.equal(expectStatus(await put(users.maintainer, 'theirs'), 200).body, 'theirs');
  assert.equal((expectStatus(await app.get(`${path}/${id}`), 200).author as Row).id, users.guest.user.id);
  assert.equal(expectStatus(await put(users.guest, ' '), 400).message, 'body is empty');
  const read = await app.make.token(users.guest.user.id, ['read_api']);
  expectStatus(await app.put(`${path}/${id}`, { json: { body: 'x' }, token: read }), 403);
  const target = { type: 'Issue', id: issue.id, projectId: project.id } as const;
  const systemNote = await rows.note(target, { system: 1, system_action: 'closed' });
  expectStatus(await app.put(`${path}/${systemNote.id}`, { json: { body: 'x' } }), 403);
  expectStatus(await app.delete(`${path}/${systemNote.id}`), 403);
});

test('DELETE notes removes reactions and activity, and heeds If-Unmodified-Since', async () => {
  const { db } = app.deps;
  const issue = await rows.issue(project.id);
  const path = on(project, 'issues', issue.iid);
  const note = expectStatus(await write(path, 'x', users.guest), 201);
  const id = note.id as number;
  const now = clock.now().toISOString();
  const dated = { created_at: now, updated_at: now };
  await db
    .insertInto('award_emoji')
    .values({ awardable_type: 'Note', awardable_id: id, user_id: 1, project_id: project.id, name: 'star', ...dated })
    .execute();
  await db
    .insertInto('events')
    .values({
      id: 9_999_999,
      action: 'commented',
      author_id: 1,
      project_id: project.id,
      target_type: 'Note',
      target_id: id,
      domain_event_id: 9_999_999,
      created_at: now,
    })
    .execute();
  const headers = { 'if-unmodified-since': new Date(clock.now().getTime() - 5_000).toUTCString() };
  expectStatus(await app.delete(`${path}/${id}`, { headers, ...by(users.guest) }), 412);
  for (const name of ['stranger', 'developer'] as const) {
    expectStatus(await app.delete(`${path}/${id}`, by(users[name])), 403);
  }
  expectStatus(await app.delete(`${path}/${id}`, by(users.guest)), 204);
  expectStatus(await app.get(`${path}/${id}`), 404);
  expectStatus(await app.delete(`${path}/${id}`), 404);
  const left = await Promise.all([
    db.selectFrom('award_emoji').select('id').where('awardable_id', '=', id).execute(),
    db.selectFrom('events').select('id').where('target_id', '=', id).execute(),
  ]);
  assert.deepEqual(left, [[], []]);
  const other = expectStatus(await write(path, 'y', users.guest), 201);
  expectStatus(await app.delete(`${path}/${other.id}`, by(users.maintainer)), 204);
});

test('notes keep the number of comments and the date of what they are about', async () => {
  const issue = await rows.issue(project.id);
  const change = await makeMergeRequest(app, project);
  const snippet = await rows.snippet(project.id, 'public');
  for (const [kind, key, table, id] of [
    ['issues', issue.iid, 'issues', issue.id],
    ['merge_requests', change.iid, 'merge_requests', change.id],
    ['snippets', snippet.id, 'snippets', snippet.id],
  ] as const) {
    const state = async () => {
      const query = app.deps.db.selectFrom(table).select(['user_notes_count', 'updated_at']).where('id', '=', id);
      const row = await query.executeTakeFirstOrThrow();
      return [row.user_notes_count, row.updated_at];
    };
    const path = on(project, kind, key);
    clock.advance(1_000);
    const first = expectStatus(await write(path, 'one'), 201);
    expectStatus(await write(path, 'two'), 201);
    assert.deepEqual(await state(), [2, clock.now().toISOString()]);
    clock.advance(1_000);
    expectStatus(await app.put(`${path}/${first.id}`, { json: { body: 'changed' } }), 200);
    assert.deepEqual(await state(), [2, clock.now().toISOString()]);
    expectStatus(await app.delete(`${path}/${first.id}`), 204);
    assert.deepEqual(await state(), [1, clock.now().toISOString()]);
  }
});

test('internal notes are written, shown, counted and changed by Planners and up only', async () => {
  const issue = await rows.issue(project.id, { author_id: users.guest.user.id });
  const path = on(project, 'issues', issue.iid);
  for (const name of ['stranger', 'guest'] as const) {
    expectStatus(await write(path, 'x', users[name], { internal: true }), 403);
  }
  const note = expectStatus(await write(path, 'secret', users.planner, { internal: true }), 201);
  assert.deepEqual([note.internal, note.confidential], [true, true]);
  expectStatus(await write(path, 'also secret', users.reporter, { confidential: true }), 201);
  expectStatus(await write(path, 'open', users.guest), 201);
  for (const options of [{ token: null }, by(users.stranger), by(users.guest)]) {
    const response = await app.get(path, options);
    assert.deepEqual(bodies(expectStatus<Row[]>(response, 200)), ['open']);
    assert.equal(response.headers['x-total'], '1');
    const hidden = expectStatus(await app.get(`${path}/${note.id}`, options), 404);
    assert.deepEqual(hidden, expectStatus(await app.get(`${path}/424242`, options), 404));
    const discussions = await app.get(path.replace(/notes$/, 'discussions'), options);
    assert.equal(expectStatus<Row[]>(discussions, 200).length, 1);
    assert.equal(discussions.headers['x-total'], '1');
  }
  expectStatus(await app.put(`${path}/${note.id}`, { json: { body: 'x' }, ...by(users.guest) }), 404);
  expectStatus(await app.delete(`${path}/${note.id}`, by(users.guest)), 404);
  for (const name of ['planner', 'reporter', 'developer', 'maintainer', 'owner'] as const) {
    assert.equal(expectStatus<Row[]>(await app.get(path, by(users[name])), 200).length, 3, name);
  }
  const counted = app.deps.db.selectFrom('issues').select('user_notes_count').where('id', '=', issue.id);
  assert.equal((await counted.executeTakeFirstOrThrow()).user_notes_count, 1);
  expectStatus(await app.delete(`${path}/${note.id}`), 204);
  assert.equal((await counted.executeTakeFirstOrThrow()).user_notes_count, 1);
  const snippet = await rows.snippet(project.id, 'public');
  expectStatus(await write(on(project, 'snippets', snippet.id), 'x', undefined, { internal: true }), 400);
});

test('only members comment on what is locked', async () => {
  const issue = await rows.issue(project.id, { discussion_locked: 1, author_id: users.stranger.user.id });
  const change = await makeMergeRequest(app, project, { discussion_locked: 1 });
  const target = { type: 'Issue', id: issue.id, projectId: project.id } as const;
  const own = await rows.note(target, { author_id: users.stranger.user.id });
  const path = on(project, 'issues', issue.iid);
  for (const where of [path, on(project, 'merge_requests', change.iid)]) {
    expectStatus(await write(where, 'x', users.stranger), 403);
    expectStatus(await app.get(where, by(users.stranger)), 200);
    expectStatus(await write(where, 'x', users.guest), 201);
    expectStatus(await write(where, 'x'), 201);
  }
  expectStatus(await app.put(`${path}/${own.id}`, { json: { body: 'x' }, ...by(users.stranger) }), 403);
  expectStatus(await app.delete(`${path}/${own.id}`, by(users.stranger)), 403);
});

test('notes follow the visibility of project, part and issue', async () => {
  const closed = await app.make.project();
  const staff = await app.make.members(closed);
  const issue = await rows.issue(closed.id);
  const change = await makeMergeRequest(app, closed);
  const snippet = await rows.snippet(closed.id, 'private');
  const issues = on(closed, 'issues', issue.iid);
  const changes = on(closed, 'merge_requests', change.iid);
  for (const path of [issues, changes, on(closed, 'snippets', snippet.id)]) {
    expectStatus(await app.get(path, { token: null }), 404);
    expectStatus(await app.get(path, by(staff.stranger)), 404);
    expectStatus(await write(path, 'x', staff.stranger), 404);
    expectStatus(await app.post(path, { json: { body: 'x' }, token: null }), 401);
    for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
      expectStatus(await write(path, 'x', staff[name]), 201);
      expectStatus(await app.get(path, by(staff[name])), 200);
    }
  }
  expectStatus(await write(issues, 'x', staff.guest), 201);
  expectStatus(await write(changes, 'x', staff.guest), 403);
  const secret = await rows.issue(project.id, { confidential: 1, author_id: users.stranger.user.id });
  const path = on(project, 'issues', secret.iid);
  expectStatus(await app.get(path, { token: null }), 404);
  expectStatus(await app.get(path, by(users.guest)), 404);
  expectStatus(await write(path, 'x', users.guest), 404);
  expectStatus(await write(path, 'x', users.stranger), 201);
  expectStatus(await write(path, 'x', users.planner), 201);
  const readApi = await app.make.token(users.owner.user.id, ['read_api']);
  expectStatus(await app.get(path, { token: readApi }), 200);
  expectStatus(await app.post(path, { json: { body: 'x' }, token: readApi }), 403);
  const archived = await app.make.project({ visibility: 'public', columns: { archived: 1 } });
  const old = await rows.issue(archived.id);
  const archivedNote = await rows.note({ type: 'Issue', id: old.id, projectId: archived.id });
  expectStatus(await write(on(archived, 'issues', old.iid), 'x'), 403);
  expectStatus(await app.put(`${on(archived, 'issues', old.iid)}/${archivedNote.id}`, { json: { body: 'x' } }), 403);
  const off = await app.make.project({ visibility: 'public', columns: { issues_access_level: 'disabled' } });
  const lost = await rows.issue(off.id);
  expectStatus(await app.get(on(off, 'issues', lost.iid), { token: null }), 404);
});

test('that something was mentioned elsewhere is shown to those who may see that place', async () => {
  const { db } = app.deps;
  const issue = await rows.issue(project.id);
  const path = on(project, 'issues', issue.iid);
  const hidden = await app.make.project();
  const friend = await app.make.user();
  await app.make.member({ project: hidden }, friend.user, AccessLevel.developer);
  const secret = await rows.issue(project.id, { confidential: 1 });
  const here = await rows.issue(project.id);
  const there = await rows.issue(hidden.id);
  const change = await makeMergeRequest(app, hidden);
  const personal = await rows.snippet(null, 'private', users.guest.user.id);
  const sources = [
    { name: 'confidential', source_type: 'Issue', source_id: secret.id, source_project_id: project.id },
    { name: 'here', source_type: 'Issue', source_id: here.id, source_project_id: project.id },
    { name: 'there', source_type: 'Issue', source_id: there.id, source_project_id: hidden.id },
    { name: 'change', source_type: 'MergeRequest', source_id: change.id, source_project_id: hidden.id },
    { name: 'commit', source_type: 'Commit', source_id: null, source_project_id: hidden.id },
    { name: 'snippet', source_type: 'Snippet', source_id: personal.id, source_project_id: null },
  ] as const;
  const target = { type: 'Issue', id: issue.id, projectId: project.id } as const;
  for (const { name, ...source } of sources) {
    const note = await rows.note(target, { note: name, system: 1, system_action: 'cross_reference' });
    await db
      .insertInto('cross_references')
      .values({
        ...source,
        target_type: 'Issue',
        target_id: issue.id,
        source_sha: null,
        source_key: name,
        target_project_id: project.id,
        note_id: note.id,
        created_at: note.created_at,
      })
      .execute();
  }
  await rows.note(target, { note: 'lost', system: 1, system_action: 'cross_reference' });
  const seen = async (options: { token?: string | null }) => {
    const response = await app.get(path, { ...options, query: { sort: 'asc' } });
    const list = bodies(expectStatus<Row[]>(response, 200));
    assert.equal(response.headers['x-total'], String(list.length));
    const page = await app.get(path, { ...options, query: { sort: 'asc', per_page: 1, page: 1 } });
    assert.deepEqual(bodies(expectStatus<Row[]>(page, 200)), list.slice(0, 1));
    assert.equal(page.headers['x-total'], String(list.length));
    return list;
  };
  assert.deepEqual(await seen({ token: null }), ['here']);
  assert.deepEqual(await seen(by(users.stranger)), ['here']);
  assert.deepEqual(await seen(by(users.guest)), ['here', 'snippet']);
  assert.deepEqual(await seen(by(users.planner)), ['confidential', 'here']);
  assert.deepEqual(await seen(by(friend)), ['here', 'there', 'change', 'commit']);
  assert.equal((await seen({})).length, 7);
  const noteThere = await db.selectFrom('notes').select('id').where('note', '=', 'there').executeTakeFirstOrThrow();
  expectStatus(await app.get(`${path}/${noteThere.id}`, by(users.stranger)), 404);
  expectStatus(await app.get(`${path}/${noteThere.id}`, by(friend)), 200);
  await db.updateTable('projects').set({ issues_access_level: 'disabled' }).where('id', '=', hidden.id).execute();
  assert.deepEqual(await seen(by(friend)), ['here', 'change', 'commit']);
});
