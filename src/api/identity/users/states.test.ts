import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { timestamp } from '../../../core/clock.ts';
import type { UserState } from '../../../db/tables/users.table.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const inState = (state: UserState): Promise<TestUser> =>
  app.make.user({ columns: { state, created_at: '2025-01-01T00:00:00.000Z' } });
const act = async ({ user }: TestUser, verb: string, status: number) => {
  const response = await app.post(`/users/${user.id}/${verb}`);
  assert.equal(response.statusCode, status, response.body);
  return response.json<unknown>();
};
const message = async (someone: TestUser, verb: string, status: number) =>
  ((await act(someone, verb, status)) as { message: string }).message;
const stateOf = async ({ user }: TestUser) => {
  const row = await app.deps.db.selectFrom('users').select('state').where('id', '=', user.id).executeTakeFirstOrThrow();
  return row.state;
};

test('a blocked user is locked out at once, and let in again', async () => {
  const someone = await inState('active');
  expectStatus(await app.get('/user', { token: someone.token }), 200);
  assert.equal(await act(someone, 'block', 201), true);
  const refused = expectStatus(await app.get('/user', { token: someone.token }), 403);
  assert.equal(refused.message, '403 Forbidden - Your account has been blocked.');
  assert.equal(await act(someone, 'unblock', 201), true);
  expectStatus(await app.get('/user', { token: someone.token }), 200);
});

test('blocking a blocked user answers null, unblocking an active one false', async () => {
  assert.equal(await act(await inState('blocked'), 'block', 201), null);
  assert.equal(await act(await inState('active'), 'unblock', 201), false);
});

test('block and ban spare the caller themselves', async () => {
  const own = await app.post('/users/1/block');
  assert.equal(expectStatus(own, 403).message, '403 Forbidden - The API initiating user cannot be blocked by the API');
  expectStatus(await app.post('/users/1/ban'), 403);
  expectStatus(await app.post('/users/99999/block'), 404);
});

test('a deactivated user cannot be unblocked, a blocked one neither activated nor deactivated', async () => {
  assert.equal(
    await message(await inState('deactivated'), 'unblock', 403),
    '403 Forbidden - Deactivated users cannot be unblocked by the API',
  );
  await message(await inState('blocked'), 'activate', 403);
  await message(await inState('banned'), 'deactivate', 403);
});

test('only dormant users are deactivated', async () => {
  const dormant = await inState('active');
  await app.deps.db
    .updateTable('users')
    .set({ last_activity_on: '2026-03-16' })
    .where('id', '=', dormant.user.id)
    .execute();
  assert.equal(await act(dormant, 'deactivate', 201), true);
  assert.equal(await stateOf(dormant), 'deactivated');
  assert.equal(await act(dormant, 'deactivate', 201), true);
  expectStatus(await app.get('/user', { token: dormant.token }), 403);
  assert.equal(await act(dormant, 'activate', 201), true);
  assert.equal(await act(dormant, 'activate', 201), true);
  const recent = await inState('active');
  await app.deps.db
    .updateTable('users')
    .set({ last_activity_on: '2026-03-18' })
    .where('id', '=', recent.user.id)
    .execute();
  assert.match(await message(recent, 'deactivate', 403), /active in the past 90 days and cannot be deactivated$/);
});

test('a user who was never seen could not be deactivated: now they can, however young the account', async () => {
  const { user } = await app.make.user();
  assert.equal(await act({ user, token: '' }, 'deactivate', 201), true);
  assert.equal(await stateOf({ user, token: '' }), 'deactivated');
});

test('a user who has signed in of late is not dormant', async () => {
  const someone = await inState('active');
  await app.deps.db
    .updateTable('users')
    .set({ current_sign_in_at: '2026-06-01T00:00:00.000Z' })
    .where('id', '=', someone.user.id)
    .execute();
  assert.match(await message(someone, 'deactivate', 403), /active in the past 90 days/);
});

test('the settings say after how many days a user is dormant', async () => {
  const set = async (days: number) =>
    expectStatus(await app.put('/application/settings', { json: { deactivate_dormant_users_period: days } }), 200);
  const someone = await inState('active');
  const seen = { last_activity_on: '2026-02-01' };
  await app.deps.db.updateTable('users').set(seen).where('id', '=', someone.user.id).execute();
  await set(2_147_483_647);
  assert.match(await message(someone, 'deactivate', 403), /active in the past 2147483647 days/);
  await set(365);
  assert.match(await message(someone, 'deactivate', 403), /active in the past 365 days/);
  await set(90);
  assert.equal(await act(someone, 'deactivate', 201), true);
});

test('administrators who block each other at the same time do not both go', async () => {
  const { user, token } = await app.make.user({ columns: { admin: 1 } });
  const [one, other] = await Promise.all([app.post(`/users/${user.id}/block`), app.post('/users/1/block', { token })]);
  const left = await app.deps.db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', 1)
    .where('state', '=', 'active')
    .execute();
  assert.equal(left.length, 1, `${one.body} ${other.body}`);
  const back = { state: 'active' } as const;
  await app.deps.db.updateTable('users').set(back).where('id', '=', 1).execute();
  expectStatus(await app.delete(`/users/${user.id}`), 204);
});

test('who is let in while they are turned away stays, and who is deleted twice is told of once', async () => {
  const waiting = await inState('blocked_pending_approval');
  const { userRemovalAsked } = app.deps.lifecycle;
  const { run } = userRemovalAsked;
  userRemovalAsked.run = async (...args) => {
    await run.apply(userRemovalAsked, args);
    await app.deps.db.updateTable('users').set({ state: 'active' }).where('id', '=', waiting.user.id).execute();
  };
  try {
    assert.equal(await message(waiting, 'reject', 409), 'User does not have a pending request');
  } finally {
    userRemovalAsked.run = run;
  }
  assert.equal(await stateOf(waiting), 'active');
  const both = await Promise.all([1, 2].map(() => app.delete(`/users/${waiting.user.id}`)));
  assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [204, 404]);
  const auditEvents = await app.deps.db
    .selectFrom('audit_events')
    .select('id')
    .where('event_name', '=', 'user_destroyed')
    .where('entity_id', '=', waiting.user.id)
    .execute();
  assert.equal(auditEvents.length, 1);
});

test('ban and unban go from active to banned and back only', async () => {
  const someone = await inState('active');
  assert.equal(await act(someone, 'ban', 201), true);
  assert.equal(await stateOf(someone), 'banned');
  assert.equal(await message(someone, 'ban', 403), 'You cannot ban banned users.');
  assert.equal(await act(someone, 'unban', 201), true);
  assert.equal(await message(someone, 'unban', 403), 'You cannot unban active users.');
});

test('who waits for approval is approved or rejected', async () => {
  const approved = await inState('blocked_pending_approval');
  const waiting = expectStatus(await app.get('/user', { token: approved.token }), 403);
  assert.match(String(waiting.message), /pending approval/);
  assert.equal(await message(approved, 'approve', 201), 'Success');
  assert.equal(await message(approved, 'approve', 409), 'The user you are trying to approve is not pending approval');
  assert.equal(await message(approved, 'reject', 409), 'User does not have a pending request');
  const rejected = await inState('blocked_pending_approval');
  assert.equal(await message(rejected, 'reject', 200), 'Success');
  expectStatus(await app.get(`/users/${rejected.user.id}`), 404);
});

test('DELETE /users/:id removes the account and hands what it wrote to the ghost', async () => {
  const someone = await app.make.user();
  const other = await app.make.user();
  const personal = await app.make.project({ owner: someone.user });
  const shared = await app.make.project({ owner: other.user });
  await app.make.member({ project: shared }, someone.user, 30);
  const now = timestamp(clock);
  await app.deps.db
    .insertInto('notes')
    .values({
      project_id: shared.id,
      noteable_type: 'Commit',
      discussion_id: 'd',
      author_id: someone.user.id,
      note: 'keep me',
      created_at: now,
      updated_at: now,
    })
    .execute();
  expectStatus(await app.delete(`/users/${someone.user.id}`), 204);
  expectStatus(await app.get(`/users/${someone.user.id}`), 404);
  expectStatus(await app.get('/user', { token: someone.token }), 401);
  const { db } = app.deps;
  assert.equal(
    await db.selectFrom('projects').select('id').where('id', '=', personal.id).executeTakeFirst(),
    undefined,
  );
  const note = await db
    .selectFrom('notes')
    .innerJoin('users', 'users.id', 'notes.author_id')
    .select(['notes.note', 'users.kind'])
    .where('notes.project_id', '=', shared.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual([note.note, note.kind], ['keep me', 'ghost']);
  const freed = await app.post('/users', {
    json: { username: someone.user.username, name: 'New', email: someone.user.email, password: 'correct horse' },
  });
  expectStatus(freed, 201);
});

test('DELETE /users/:id keeps reactions, decisions and spent time in the name of the ghost', async () => {
  const owner = await app.make.user();
  const project = await app.make.project({ owner: owner.user, visibility: 'public' });
  const at = `/projects/${project.id}`;
  new ProjectGit(app, project).commit('main', { 'a.txt': 'a' });
  const { iid } = expectStatus<{ iid: number }>(await app.post(`${at}/issues`, { json: { title: 'Voted on' } }), 201);
  const issue = `${at}/issues/${iid}`;
  const request = await makeMergeRequest(app, project, { state: 'merged' });
  const closed = await makeMergeRequest(app, project, { state: 'closed' });
  const threads = `${at}/merge_requests/${closed.iid}/discussions`;
  const { id: thread } = expectStatus<{ id: string }>(await app.post(threads, { json: { body: 'Really?' } }), 201);
  const shown = async (path: string) => expectStatus<Json>(await app.get(path), 200);
  const idOf = (user: unknown) => (user as { id: number } | null)?.id;
  const leave = async (hard = false) => {
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 40);
    for (const name of ['thumbsup', 'rocket']) {
      expectStatus(await app.post(`${issue}/award_emoji`, { token, json: { name } }), 201);
    }
    expectStatus(await app.post(`${issue}/add_spent_time`, { token, json: { duration: '1h' } }), 201);
    expectStatus(await app.put(issue, { token, json: { state_event: 'close' } }), 200);
    const tag_name = `v${user.id}`;
    expectStatus(await app.post(`${at}/releases`, { token, json: { tag_name, ref: 'main' } }), 201);
    await app.deps.db
      .updateTable('merge_requests')
      .set({ merge_user_id: user.id })
      .where('id', '=', request.id)
      .execute();
    await app.deps.db
      .updateTable('merge_requests')
      .set({ closed_by_id: user.id })
      .where('id', '=', closed.id)
      .execute();
    await app.deps.db
      .updateTable('notes')
      .set({ resolved_by_id: user.id, resolved_at: timestamp(clock) })
      .where('discussion_id', '=', thread)
      .execute();
    expectStatus(await app.delete(`/users/${user.id}`, { query: { hard_delete: hard } }), 204);
    return tag_name;
  };
  const tag = await leave();
  const ghost = await app.deps.db
    .selectFrom('users')
    .select('id')
    .where('kind', '=', 'ghost')
    .executeTakeFirstOrThrow();
  const emoji = async () =>
    expectStatus<Json[]>(await app.get(`${issue}/award_emoji`), 200).map(({ name, user }) => [name, idOf(user)]);
  const ghostReactions = [
    ['thumbsup', ghost.id],
    ['rocket', ghost.id],
  ];
  const logs = async () => app.deps.db.selectFrom('time_logs').select('user_id').execute();
  assert.deepEqual(await emoji(), ghostReactions);
  assert.deepEqual([(await shown(issue)).upvotes, idOf((await shown(issue)).closed_by)], [1, ghost.id]);
  assert.equal(idOf((await shown(`${at}/releases/${tag}`)).author), ghost.id);
  const merged = await shown(`${at}/merge_requests/${request.iid}`);
  assert.deepEqual([idOf(merged.merge_user), idOf(merged.merged_by)], [ghost.id, ghost.id]);
  assert.equal(idOf((await shown(`${at}/merge_requests/${closed.iid}`)).closed_by), ghost.id);
  const [note] = (await shown(`${threads}/${thread}`)).notes as Json[];
  assert.deepEqual([note!.resolved, idOf(note!.resolved_by)], [true, ghost.id]);
  assert.deepEqual(
    (await logs()).map(({ user_id }) => user_id),
    [ghost.id],
  );
  // A second one reacts with the same: one reaction of the ghost, one vote.
  expectStatus(await app.put(issue, { json: { state_event: 'reopen' } }), 200);
  await leave();
  assert.deepEqual(await emoji(), ghostReactions);
  assert.equal((await shown(issue)).upvotes, 1);
  expectStatus(await app.put(issue, { json: { state_event: 'reopen' } }), 200);
  await leave(true);
  assert.deepEqual([await emoji(), (await shown(issue)).upvotes, (await logs()).length], [ghostReactions, 1, 2]);
});

test('DELETE /users/:id with hard_delete removes what the user wrote too', async () => {
  const someone = await app.make.user();
  const project = await app.make.project();
  const now = timestamp(clock);
  await app.deps.db
    .insertInto('notes')
    .values({
      project_id: project.id,
      noteable_type: 'Commit',
      discussion_id: 'd',
      author_id: someone.user.id,
      note: 'gone',
      created_at: now,
      updated_at: now,
    })
    .execute();
  await app.make.member({ project }, someone.user, 40);
  const at = `/projects/${project.id}`;
  const { token } = someone;
  const theirs = expectStatus<Json>(await app.post(`${at}/issues`, { token, json: { title: 'theirs' } }), 201);
  const other = expectStatus<Json>(await app.post(`${at}/issues`, { json: { title: 'of somebody else' } }), 201);
  const comment = { json: { body: 'stays with nobody' } };
  expectStatus(await app.post(`${at}/issues/${theirs.iid}/notes`, comment), 201);
  await app.deps.db
    .updateTable('issues')
    .set({ duplicated_to_id: Number(theirs.id) })
    .where('id', '=', Number(other.id))
    .execute();
  const request = await makeMergeRequest(app, project, { author_id: someone.user.id });
  const otherRequest = await makeMergeRequest(app, project);
  expectStatus(await app.delete(`/users/${someone.user.id}`, { query: { hard_delete: true } }), 204);
  const notes = await app.deps.db.selectFrom('notes').select('id').where('project_id', '=', project.id).execute();
  assert.equal(notes.length, 0);
  const listed = async (kind: string) =>
    expectStatus<Json[]>(await app.get(`${at}/${kind}`), 200).map(({ iid }) => iid);
  assert.deepEqual([await listed('issues'), await listed('merge_requests')], [[other.iid], [otherRequest.iid]]);
  expectStatus(await app.get(`${at}/issues/${theirs.iid}`), 404);
  expectStatus(await app.get(`${at}/merge_requests/${request.iid}`), 404);
  const domainEvents = await app.deps.db
    .selectFrom('domain_events')
    .select('type')
    .where('project_id', '=', project.id)
    .where('type', 'in', ['issue.destroyed', 'merge_request.destroyed'])
    .orderBy('type')
    .execute();
  assert.deepEqual(
    domainEvents.map(({ type }) => type),
    ['issue.destroyed', 'merge_request.destroyed'],
  );
});

test('the only owner of a group is kept, unless it is to go with them', async () => {
  const someone = await app.make.user();
  const group = await app.make.group({ owner: someone.user });
  const refused = expectStatus(await app.delete(`/users/${someone.user.id}`), 409);
  assert.equal(refused.message, 'User cannot be removed while is the sole-owner of a group');
  expectStatus(await app.delete(`/users/${someone.user.id}`, { query: { hard_delete: true } }), 204);
  expectStatus(await app.get(`/groups/${group.id}`), 404);
  const heir = await app.make.user();
  const leaver = await app.make.user();
  const sharedGroup = await app.make.group({ owner: leaver.user });
  await app.make.member({ group: sharedGroup }, heir.user, 50);
  expectStatus(await app.delete(`/users/${leaver.user.id}`), 204);
  expectStatus(await app.get(`/groups/${sharedGroup.id}`, { token: heir.token }), 200);
});

test('DELETE /users/:id keeps the last administrator, internal users, and what changed since', async () => {
  const refused = expectStatus(await app.delete('/users/1'), 409);
  assert.equal(refused.message, 'The last administrator cannot be deleted. Appoint another administrator first.');
  const someone = await app.make.user();
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
  expectStatus(await app.delete(`/users/${someone.user.id}`, { headers }), 412);
  const ghost = await app.deps.db
    .selectFrom('users')
    .select('id')
    .where('kind', '=', 'ghost')
    .executeTakeFirstOrThrow();
  expectStatus(await app.delete(`/users/${ghost.id}`), 403);
  expectStatus(await app.post(`/users/${ghost.id}/block`), 403);
});

test('a status is set, changed, seen by everyone, and over in time', async () => {
  const { user, token } = await app.make.user();
  const set = async (method: 'put' | 'patch', json: object) =>
    expectStatus(await app[method]('/user/status', { token, json }), 200);
  const json = { emoji: 'coffee', message: 'Back <soon>', availability: 'busy', clear_status_after: '30_minutes' };
  assert.deepEqual(await set('put', json), {
    emoji: 'coffee',
    message: 'Back <soon>',
    message_html: 'Back &#60;soon&#62;',
    availability: 'busy',
    clear_status_at: '2026-06-15T12:30:00.000Z',
  });
  const seen = expectStatus(await app.get(`/users/${user.username}/status`, { token: null }), 200);
  assert.equal(seen.message, 'Back <soon>');
  assert.equal((await set('patch', { message: 'Later' })).emoji, 'coffee');
  assert.equal((await set('put', { message: 'Only this' })).emoji, 'speech_balloon');
  await set('put', json);
  clock.advance(30 * 60_000);
  assert.equal(expectStatus(await app.get(`/users/${user.id}/status`), 200).message, null);
  expectStatus(await app.put('/user/status', { token, json: { emoji: '<b>' } }), 400);
  expectStatus(await app.put('/user/status', { token, json: { message: 'x'.repeat(101) } }), 400);
  expectStatus(await app.put('/user/status', { token, json: { availability: 'away' } }), 400);
  expectStatus(await app.get('/users/nobody-here/status'), 404);
  expectStatus(await app.get('/user/status', { token: null }), 401);
});

test('GET /users/:id/memberships lists projects and groups to administrators', async () => {
  const { user, token } = await app.make.user();
  const group = await app.make.group();
  const project = await app.make.project();
  await app.make.member({ group }, user, 30);
  await app.make.member({ project }, user, 20);
  const path = `/users/${user.id}/memberships`;
  const entries = expectStatus<object[]>(await app.get(path), 200);
  assert.deepEqual(entries, [
    { source_id: group.id, source_name: group.name, source_type: 'Namespace', access_level: 30 },
    { source_id: project.id, source_name: project.name, source_type: 'Project', access_level: 20 },
  ]);
  assert.equal(expectStatus<object[]>(await app.get(path, { query: { type: 'Project' } }), 200).length, 1);
  const bad = expectStatus(await app.get(path, { query: { type: 'Invalid' } }), 400);
  assert.equal(bad.message, 'type does not have a valid value');
  expectStatus(await app.get(path, { token }), 403);
});

test('two administrators who remove each other leave one', async () => {
  const one = await app.make.user({ admin: true });
  const two = await app.make.user({ admin: true });
  const others = await app.deps.db
    .updateTable('users')
    .set({ state: 'blocked' })
    .where('admin', '=', 1)
    .where('id', 'not in', [one.user.id, two.user.id])
    .returning('id')
    .execute();
  await Promise.all([
    app.delete(`/users/${two.user.id}`, { token: one.token }),
    app.delete(`/users/${one.user.id}`, { token: two.token }),
  ]);
  const left = await app.deps.db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', 1)
    .where('state', '=', 'active')
    .execute();
  assert.equal(left.length, 1);
  await app.deps.db
    .updateTable('users')
    .set({ state: 'active' })
    .where(
      'id',
      'in',
      others.map(({ id }) => id),
    )
    .execute();
});
