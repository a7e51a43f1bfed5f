import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Namespace } from '../../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
let group: Namespace;
let project: Project;
let ada: TestUser;
let bob: TestUser;

/** Three merge requests: `!1` by ada (draft), `!2` by bob (closed, labelled), `!3` by root. */
before(async () => {
  app = await buildTestApp();
  group = await app.make.group();
  project = await app.make.project({ namespace: group });
  [ada, bob] = [await app.make.user(), await app.make.user()];
  for (const { user } of [ada, bob]) await app.make.member({ project }, user, 30);
  const git = new ProjectGit(app, project);
  const start = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('release', { 'r.txt': 'r' }, { start });
  for (const name of ['one', 'two', 'three']) git.commit(name, { [`${name}.txt`]: name }, { start });
  const post = async (json: object, token?: string) =>
    expectStatus(
      await app.post(`/projects/${project.id}/merge_requests`, {
        json: { target_branch: 'main', ...json },
        ...(token === undefined ? {} : { token }),
      }),
      201,
    );
  await post({ title: 'Draft: first', source_branch: 'one', reviewer_ids: [bob.user.id] }, ada.token);
  await post({ title: 'second', source_branch: 'two', labels: 'bug', assignee_id: ada.user.id }, bob.token);
  await post({ title: 'third 50%', source_branch: 'three', target_branch: 'release' });
  expectStatus(await app.put(`/projects/${project.id}/merge_requests/2`, { json: { state_event: 'close' } }), 200);
  const approval = { merge_request_id: 3, user_id: ada.user.id, head_sha: 'x', created_at: '2026-01-01T00:00:00.000Z' };
  const third = await app.deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('iid', '=', 3)
    .executeTakeFirstOrThrow();
  await app.deps.db
    .insertInto('approvals')
    .values({ ...approval, merge_request_id: third.id })
    .execute();
});
after(() => app.close());

async function iids(path: string, query: RequestOptions['query'] = {}, token?: string | null): Promise<number[]> {
  const response = await app.get(path, { query, ...(token === undefined ? {} : { token }) });
  return expectStatus<{ iid: number }[]>(response, 200).map(({ iid }) => iid);
}
const inProject = (query?: RequestOptions['query'], token?: string | null) =>
  iids(`/projects/${project.id}/merge_requests`, query, token);

test('GET lists the newest first, with totals', async () => {
  assert.deepEqual(await inProject(), [3, 2, 1]);
  const response = await app.get(`/projects/${project.id}/merge_requests`, { query: { per_page: 2, sort: 'asc' } });
  assert.equal(response.headers['x-total'], '3');
  assert.deepEqual(
    response.json<{ iid: number }[]>().map(({ iid }) => iid),
    [1, 2],
  );
  assert.deepEqual(await inProject({ order_by: 'title', sort: 'asc' }), [1, 2, 3]);
  assert.deepEqual((await inProject({ order_by: 'merged_at' })).length, 3);
});

test('GET narrows down by each filter', async () => {
  const cases: [NonNullable<RequestOptions['query']>, number[]][] = [
    [{ state: 'opened' }, [3, 1]],
    [{ state: 'closed' }, [2]],
    [{ state: 'merged' }, []],
    [{ source_branch: 'two' }, [2]],
    [{ source_branch: 'two', state: 'opened' }, []],
    [{ target_branch: 'release' }, [3]],
    [{ source_project_id: project.id }, [3, 2, 1]],
    [{ source_project_id: 999 }, []],
    [{ wip: 'yes' }, [1]],
    [{ wip: 'no' }, [3, 2]],
    [{ reviewer_id: bob.user.id }, [1]],
    [{ reviewer_id: 'None' }, [3, 2]],
    [{ reviewer_id: 'any' }, [1]],
    [{ reviewer_username: bob.user.username }, [1]],
    [{ reviewer_username: 'nobody-of-this-name' }, []],
    [{ 'not[reviewer_id]': bob.user.id }, [3, 2]],
    [{ author_username: ada.user.username }, [1]],
    [{ assignee_id: ada.user.id }, [2]],
    [{ labels: 'bug' }, [2]],
    [{ 'not[labels]': 'bug' }, [3, 1]],
    [{ 'iids[]': ['1', '3'] }, [3, 1]],
    [{ search: '50%' }, [3]],
    [{ search: '%' }, [3]],
    [{ 'approved_by_ids[]': [String(ada.user.id)] }, [3]],
    [{ 'approved_by_ids[]': [String(ada.user.id), String(bob.user.id)] }, []],
    [{ approved_by_ids: 'None' }, [2, 1]],
    [{ 'approved_by_usernames[]': [ada.user.username] }, [3]],
    [{ approver_ids: 'Any' }, []],
    [{ approver_ids: 'None' }, [3, 2, 1]],
    [{ merged_after: '2020-01-01' }, []],
    [{ merge_user_id: 1 }, []],
    [{ environment: 'production' }, []],
    [{ created_after: '2999-01-01' }, []],
    [{ scope: 'created_by_me' }, [3]],
  ];
  for (const [query, expected] of cases) assert.deepEqual(await inProject(query), expected, JSON.stringify(query));
  assert.deepEqual(await inProject({ scope: 'reviews_for_me' }, bob.token), [1]);
  assert.deepEqual(await inProject({ scope: 'assigned_to_me' }, ada.token), [2]);
});

test('GET refuses what it does not understand', async () => {
  const refused = async (query: NonNullable<RequestOptions['query']>) =>
    expectStatus(await app.get(`/projects/${project.id}/merge_requests`, { query }), 400).message;
  assert.equal(await refused({ state: 'draft' }), 'state does not have a valid value');
  assert.equal(await refused({ approved_by_ids: 'x' }), "approved_by_ids should be an array, 'None' or 'Any'");
  assert.equal(await refused({ reviewer_id: 'x' }), "reviewer_id should be an integer, 'None' or 'Any'");
  assert.equal(await refused({ order_by: "title' --" }), 'order_by does not have a valid value');
  assert.equal(
    await refused({ reviewer_id: 1, reviewer_username: 'x' }),
    'reviewer_id, reviewer_username are mutually exclusive',
  );
});

test('GET everywhere and in groups shows what the caller may see', async () => {
  const stranger = await app.make.user();
  assert.deepEqual(await iids('/merge_requests'), [3]);
  assert.deepEqual(await iids('/merge_requests', { scope: 'all' }), [3, 2, 1]);
  assert.deepEqual(await iids('/merge_requests', { scope: 'all' }, stranger.token), []);
  assert.deepEqual(await iids('/merge_requests', { scope: 'all' }, null), []);
  assert.deepEqual(await iids('/merge_requests', {}, ada.token), [1]);
  expectStatus(await app.get('/merge_requests', { token: null }), 401);
  assert.deepEqual(await iids(`/groups/${group.id}/merge_requests`, { state: 'opened' }, ada.token), [3, 1]);
  expectStatus(await app.get(`/groups/${group.id}/merge_requests`, { token: stranger.token }), 404);
  expectStatus(await app.get(`/projects/${project.id}/merge_requests`, { token: stranger.token }), 404);
});

test('GET view=simple gives a few keys; with_merge_status_recheck has unknown ones checked', async () => {
  const path = `/projects/${project.id}/merge_requests`;
  const [simple] = expectStatus<object[]>(await app.get(path, { query: { view: 'simple' } }), 200);
  assert.deepEqual(Object.keys(simple!), [
    'id',
    'iid',
    'project_id',
    'title',
    'description',
    'state',
    'created_at',
    'updated_at',
    'web_url',
  ]);
  await app.deps.db.updateTable('merge_requests').set({ merge_status: 'unchecked' }).where('iid', '=', 1).execute();
  expectStatus(await app.get(path, { query: { with_merge_status_recheck: true } }), 200);
  await app.drain();
  const row = await app.deps.db
    .selectFrom('merge_requests')
    .select('merge_status')
    .where('iid', '=', 1)
    .executeTakeFirstOrThrow();
  assert.equal(row.merge_status, 'can_be_merged');
  const [details] = expectStatus<{ labels: object[]; references: { relative: string } }[]>(
    await app.get('/merge_requests', { query: { scope: 'all', labels: 'bug', with_labels_details: true } }),
    200,
  );
  assert.equal((details!.labels[0] as { name: string }).name, 'bug');
  assert.equal(details!.references.relative, `${project.full_path}!2`);
});

test('approved was not taken: now it tells what somebody has approved from what nobody has', async () => {
  assert.deepEqual(await inProject({ approved: 'yes' }), [3]);
  assert.deepEqual(await inProject({ approved: 'no' }), [2, 1]);
  assert.deepEqual(await iids(`/groups/${group.id}/merge_requests`, { approved: 'yes' }), [3]);
  assert.deepEqual(await iids('/merge_requests', { approved: 'no', scope: 'all' }), [2, 1]);
  expectStatus(await app.get('/merge_requests', { query: { approved: 'perhaps' } }), 400);
});
