import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let rows: Rows;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
  rows = new Rows(app.deps);
});
after(() => app.close());

test('GET /user_counts counts open work that the caller may see', async () => {
  const { user, token } = await app.make.user();
  const [mine, hidden, archived] = [await app.make.project(), await app.make.project(), await app.make.project()];
  for (const project of [mine, archived]) await app.make.member({ project }, user, 30);
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', archived.id).execute();
  for (const { id } of [mine, hidden, archived]) {
    for (const state of ['opened', 'closed'] as const) {
      const issue = await rows.issue(id, { state });
      const request = await makeMergeRequest(app, { id }, { state, source_branch: `${id}-${state}` });
      for (const [issuable_type, issuable_id] of [
        ['Issue', issue.id],
        ['MergeRequest', request.id],
      ] as const) {
        const assignee = { issuable_type, issuable_id, project_id: id, user_id: user.id };
        await app.deps.db.insertInto('issuable_assignees').values(assignee).execute();
      }
    }
  }
  const reviewed = await makeMergeRequest(app, mine, { source_branch: 'to-review' });
  const now = new Date().toISOString();
  await app.deps.db
    .insertInto('merge_request_reviewers')
    .values({ merge_request_id: reviewed.id, user_id: user.id, created_at: now })
    .execute();
  assert.deepEqual(expectStatus(await app.get('/user_counts', { token }), 200), {
    merge_requests: 1,
    assigned_issues: 1,
    assigned_merge_requests: 1,
    review_requested_merge_requests: 1,
    todos: 0,
  });
  expectStatus(await app.get('/user_counts', { token: null }), 401);
});

test('GET associations_count counts memberships and what a user wrote, for themselves and administrators', async () => {
  const { user, token } = await app.make.user();
  const [group, project] = [await app.make.group(), await app.make.project()];
  await app.make.member({ group }, user, 30);
  await app.make.member({ project }, user, 30);
  const ended = await app.make.project();
  await app.make.member({ project: ended }, user, 30, '2020-01-01');
  await rows.issue(project.id, { author_id: user.id });
  await makeMergeRequest(app, project, { author_id: user.id });
  const path = `/users/${user.id}/associations_count`;
  const counts = { groups_count: 1, projects_count: 1, issues_count: 1, merge_requests_count: 1 };
  assert.deepEqual(expectStatus(await app.get(path, { token }), 200), counts);
  assert.deepEqual(expectStatus(await app.get(path), 200), counts);
  expectStatus(await app.get(path, { token: (await app.make.user()).token }), 403);
  expectStatus(await app.get(path, { token: null }), 401);
  expectStatus(await app.get('/users/999999/associations_count'), 404);
});

test('GET /user/activities lists who was active when, for administrators', async () => {
  await app.make.user({ username: 'lately', columns: { last_activity_on: '2026-06-01' } });
  await app.make.user({ username: 'before', columns: { last_activity_on: '2026-02-01' } });
  await app.make.user({ username: 'long-ago', columns: { last_activity_on: '2025-11-01' } });
  await app.make.user({ username: 'never' });
  const list = async (query: Record<string, string> = {}) =>
    expectStatus<Json[]>(await app.get('/user/activities', { query: { ...query, per_page: '100' } }), 200);
  assert.deepEqual((await list())[0], {
    username: 'before',
    last_activity_on: '2026-02-01',
    last_activity_at: '2026-02-01',
  });
  const names = (await list({ from: '2025-10-01' })).map(({ username }) => username);
  assert.deepEqual(names.slice(0, 3), ['long-ago', 'before', 'lately']);
  assert.ok(!names.includes('never'));
  expectStatus(await app.get('/user/activities', { query: { from: 'x' } }), 400);
  expectStatus(await app.get('/user/activities', { token: (await app.make.user()).token }), 403);
});

test('a second factor that nobody has cannot be turned off', async () => {
  const { user, token } = await app.make.user();
  const admin = await app.make.user({ admin: true });
  const path = `/users/${user.id}/disable_two_factor`;
  const { message } = expectStatus<Json>(await app.patch(path), 400);
  assert.match(String(message), /not enabled for this user/);
  expectStatus(await app.patch(`/users/${admin.user.id}/disable_two_factor`), 403);
  expectStatus(await app.patch(path, { token }), 403);
  expectStatus(await app.patch('/users/999999/disable_two_factor'), 404);
});

test('preferences have defaults and are changed one by one', async () => {
  const { user, token } = await app.make.user();
  const get = async () => expectStatus<Json>(await app.get('/user/preferences', { token }), 200);
  const defaults = {
    id: user.id,
    user_id: user.id,
    view_diffs_file_by_file: false,
    show_whitespace_in_diffs: true,
    pass_user_identities_to_ci_jwt: false,
    notified_of_own_activity: false,
  };
  assert.deepEqual(await get(), defaults);
  const put = async (json: Json, status = 200) =>
    expectStatus<Json>(await app.put('/user/preferences', { token, json }), status);
  assert.deepEqual(await put({ view_diffs_file_by_file: true }), { ...defaults, view_diffs_file_by_file: true });
  const both = { ...defaults, view_diffs_file_by_file: true, show_whitespace_in_diffs: false };
  assert.deepEqual(await put({ show_whitespace_in_diffs: false }), both);
  assert.deepEqual(await get(), both);
  assert.match(String((await put({}, 400)).message), /at least one parameter must be provided/);
  for (const empty of [null, '']) {
    const { message } = await put({ view_diffs_file_by_file: empty }, 400);
    assert.equal(message, 'view_diffs_file_by_file is empty');
  }
  expectStatus(await app.get('/user/preferences', { token: null }), 401);
});
