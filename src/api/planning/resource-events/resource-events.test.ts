import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
interface Named extends Row {
  id: number;
  iid: number;
}
const clock = new TestClock();
let app: TestApp;
let group: Namespace;
let project: Project;
let git: ProjectGit;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let branches = 0;
before(async () => {
  app = await buildTestApp({ clock });
  group = await app.make.group({ visibility: 'public' });
  project = await app.make.project({ namespace: group, visibility: 'public' });
  users = await app.make.members(project);
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'a\n' });
});
after(() => app.close());

const by = (user?: TestUser) => (user === undefined ? {} : { token: user.token });
const issuesOf = ({ id }: Project) => `/projects/${id}/issues`;
const issue = async (json: Row = {}, user?: TestUser, of = project) =>
  expectStatus<Named>(await app.post(issuesOf(of), { json: { title: 'Work', ...json }, ...by(user) }), 201);
const change = async (path: string, json: Row, user?: TestUser) =>
  expectStatus<Named>(await app.put(path, { json, ...by(user) }), 200);
const pathOf = ({ iid }: Named, of = project) => `${issuesOf(of)}/${iid}`;
const milestone = async (title: string) =>
  expectStatus<Named>(await app.post(`/projects/${project.id}/milestones`, { json: { title } }), 201);

async function mergeRequest(json: Row = {}): Promise<{ path: string; id: number; iid: number }> {
  branches += 1;
  const source_branch = `change-${branches}`;
  git.commit(source_branch, { [`${source_branch}.txt`]: 'x\n' }, { start: git.run(['rev-parse', 'main']) });
  const path = `/projects/${project.id}/merge_requests`;
  const made = expectStatus<Named>(
    await app.post(path, { json: { source_branch, target_branch: 'main', title: 'Change', ...json } }),
    201,
  );
  return { path: `${path}/${made.iid}`, id: made.id, iid: made.iid };
}

const list = async (path: string, kind: string, user?: TestUser) =>
  expectStatus<Row[]>(await app.get(`${path}/resource_${kind}_events`, by(user)), 200);
const labelName = ({ label, action }: Row) => [action, (label as Row | null)?.name ?? null];
const milestoneTitle = ({ milestone: shown, action }: Row) => [action, (shown as Row | null)?.title ?? null];
const states = (rows: Row[]) => rows.map(({ state }) => state);

test('labels that come and go are told with who changed them and when', async () => {
  const made = await issue({ labels: 'bug' });
  clock.advance(1_000);
  await change(pathOf(made), { add_labels: 'ui', remove_labels: 'bug' }, users.planner);
  const events = await list(pathOf(made), 'label', users.guest);
  assert.deepEqual(events.map(labelName), [
    ['add', 'bug'],
    ['add', 'ui'],
    ['remove', 'bug'],
  ]);
  const [first, second] = events;
  assert.deepEqual(Object.keys(first!), [
    'id',
    'user',
    'created_at',
    'resource_type',
    'resource_id',
    'label',
    'action',
  ]);
  assert.deepEqual([first!.resource_type, first!.resource_id], ['Issue', made.id]);
  assert.equal((second!.user as Row).username, users.planner.user.username);
  assert.equal(Date.parse(String(second!.created_at)) - Date.parse(String(first!.created_at)), 1_000);
  const one = await app.get(`${pathOf(made)}/resource_label_events/${first!.id}`);
  assert.deepEqual(expectStatus(one, 200), first);
  const page = await app.get(`${pathOf(made)}/resource_label_events`, { query: { per_page: 1, page: 2 } });
  assert.deepEqual(expectStatus(page, 200), [second]);
  assert.equal(page.headers['x-total'], '3');
});

test('what changes nothing is no event', async () => {
  const made = await issue({ labels: 'bug', weight: 3 });
  await change(pathOf(made), { labels: 'bug', weight: 3, state_event: 'reopen' });
  assert.equal((await list(pathOf(made), 'label')).length, 1);
  assert.equal((await list(pathOf(made), 'weight')).length, 1);
  assert.deepEqual(await list(pathOf(made), 'state'), []);
});

test('a deleted label goes from what had it, and its events lose their label', async () => {
  const made = await issue({ labels: 'doomed' });
  const merge = await mergeRequest({ labels: 'doomed' });
  expectStatus(await app.delete(`/projects/${project.id}/labels/doomed`, by(users.maintainer)), 204);
  for (const path of [pathOf(made), merge.path]) {
    const events = await list(path, 'label');
    assert.deepEqual(events.map(labelName), [
      ['add', null],
      ['remove', null],
    ]);
    assert.equal((events[1]!.user as Row).username, users.maintainer.user.username);
  }
});

test('a promoted label keeps its events', async () => {
  const made = await issue({ labels: 'grow' });
  const promoted = expectStatus(await app.put(`/projects/${project.id}/labels/grow/promote`), 200);
  const events = await list(pathOf(made), 'label');
  assert.deepEqual(events.map(labelName), [['add', 'grow']]);
  assert.equal((events[0]!.label as Row).id, promoted.id);
});

test('milestones are told with the state at that time', async () => {
  const [first, second] = [await milestone('v1'), await milestone('v2')];
  const made = await issue({ milestone_id: first.id });
  await change(pathOf(made), { milestone_id: second.id });
  await change(pathOf(made), { state_event: 'close' });
  await change(pathOf(made), { milestone_id: 0 });
  const events = await list(pathOf(made), 'milestone');
  assert.deepEqual(events.map(milestoneTitle), [
    ['add', 'v1'],
    ['add', 'v2'],
    ['remove', 'v2'],
  ]);
  assert.deepEqual(states(events), ['opened', 'opened', 'closed']);
  const merge = await mergeRequest({ milestone_id: first.id });
  await change(merge.path, { milestone_id: 0 });
  const ofMerge = await list(merge.path, 'milestone');
  assert.deepEqual(ofMerge.map(milestoneTitle), [
    ['add', 'v1'],
    ['remove', 'v1'],
  ]);
  assert.deepEqual([ofMerge[0]!.resource_type, ofMerge[0]!.resource_id], ['MergeRequest', merge.id]);
});

test('a deleted milestone goes from what had it; a promoted one keeps its events', async () => {
  const [gone, promoted] = [await milestone('gone'), await milestone('kept')];
  const made = await issue({ milestone_id: gone.id });
  const other = await issue({ milestone_id: promoted.id });
  const merge = await mergeRequest({ milestone_id: gone.id });
  expectStatus(await app.delete(`/projects/${project.id}/milestones/${gone.id}`), 204);
  for (const path of [pathOf(made), merge.path]) {
    assert.deepEqual((await list(path, 'milestone')).map(milestoneTitle), [
      ['add', null],
      ['remove', null],
    ]);
  }
  expectStatus(await app.post(`/projects/${project.id}/milestones/${promoted.id}/promote`), 200);
  const [event] = await list(pathOf(other), 'milestone');
  assert.deepEqual([(event!.milestone as Row).title, (event!.milestone as Row).group_id], ['kept', group.id]);
});

test('states of issues and merge requests are told', async () => {
  const made = await issue();
  for (const state_event of ['close', 'reopen', 'close']) await change(pathOf(made), { state_event });
  assert.deepEqual(states(await list(pathOf(made), 'state')), ['closed', 'reopened', 'closed']);
  const merge = await mergeRequest();
  for (const state_event of ['close', 'reopen']) await change(merge.path, { state_event });
  expectStatus(await app.put(`${merge.path}/merge`), 200);
  assert.deepEqual(states(await list(merge.path, 'state')), ['closed', 'reopened', 'merged']);
});

test('what closed an issue is told to those who may see it', async () => {
  const hidden = await app.make.project({ namespace: group, visibility: 'private' });
  const hiddenGit = new ProjectGit(app, hidden);
  hiddenGit.commit('main', { 'a.txt': 'a\n' });
  hiddenGit.commit('topic', { 'b.txt': 'b\n' }, { start: hiddenGit.run(['rev-parse', 'main']) });
  const made = await issue();
  const own = await issue();
  const merge = await mergeRequest({ description: `Closes #${own.iid}` });
  expectStatus(await app.put(`${merge.path}/merge`), 200);
  await app.drain();
  const [event] = await list(pathOf(own), 'state', users.stranger);
  assert.deepEqual([event!.state, event!.source_merge_request_id, event!.source_commit], ['closed', merge.id, null]);
  const closes = { commit_message: `Closes #${made.iid}` };
  const commit = await commitFiles(app, project.id, { 'closing.txt': 'x' }, closes);
  await app.drain();
  const [byCommit] = await list(pathOf(made), 'state', users.guest);
  assert.equal(byCommit!.source_commit, commit.id);
  await app.deps.db
    .updateTable('resource_events')
    .set({ source_project_id: hidden.id })
    .where('id', '=', Number(byCommit!.id))
    .execute();
  assert.equal((await list(pathOf(made), 'state', users.guest))[0]!.source_commit, null);
  assert.equal((await list(pathOf(made), 'state'))[0]!.source_commit, commit.id);
});

test('weights are told, also that one was taken away', async () => {
  const made = await issue({ weight: 2 });
  await change(pathOf(made), { weight: 5 });
  await change(pathOf(made), { weight: null });
  const events = await list(pathOf(made), 'weight');
  assert.deepEqual(
    events.map(({ weight }) => weight),
    [2, 5, null],
  );
  assert.deepEqual(Object.keys(events[0]!), ['id', 'user', 'created_at', 'issue_id', 'weight']);
  assert.equal(events[0]!.issue_id, made.id);
});

test('there are no iterations, and so no events of them', async () => {
  const made = await issue();
  assert.deepEqual(await list(pathOf(made), 'iteration'), []);
  const one = await app.get(`${pathOf(made)}/resource_iteration_events/1`);
  assert.equal(expectStatus(one, 404).message, '404 ResourceIterationEvent Not Found');
});

test('a moved issue takes its history along, in the words of the destination', async () => {
  const there = await app.make.project({ namespace: await app.make.group() });
  await app.post(`/projects/${there.id}/labels`, { json: { name: 'kept', color: 'red' } });
  const made = await issue({ labels: 'kept,left', weight: 1 }, users.planner);
  await change(pathOf(made), { state_event: 'close' });
  await change(pathOf(made), { state_event: 'reopen', labels: '' });
  const moved = expectStatus<Named>(await app.post(`${pathOf(made)}/move`, { json: { to_project_id: there.id } }), 201);
  const events = await list(pathOf(moved, there), 'label');
  assert.deepEqual(
    events.map(labelName).sort(),
    [
      ['add', 'kept'],
      ['add', null],
      ['remove', 'kept'],
      ['remove', null],
    ].sort(),
  );
  assert.equal((events[0]!.user as Row).username, users.planner.user.username);
  assert.equal(events[0]!.resource_id, moved.id);
  assert.deepEqual(states(await list(pathOf(moved, there), 'state')), ['closed', 'reopened']);
  assert.equal((await list(pathOf(moved, there), 'weight')).length, 1);
  assert.deepEqual(states(await list(pathOf(made), 'state')), ['closed', 'reopened', 'closed']);
});

test('a clone begins with a history of its own', async () => {
  const made = await issue({ labels: 'bug', weight: 7 });
  await change(pathOf(made), { state_event: 'close' });
  const json = { to_project_id: project.id };
  const clone = expectStatus<Named>(await app.post(`${pathOf(made)}/clone`, { json }), 201);
  assert.deepEqual((await list(pathOf(clone), 'label')).map(labelName), [['add', 'bug']]);
  assert.deepEqual(await list(pathOf(clone), 'state'), []);
  assert.equal((await list(pathOf(clone), 'weight')).length, 1);
});

test('events are for signed-in users who may read the thing, and of that thing alone', async () => {
  const secret = await issue({ confidential: true, labels: 'bug' });
  const open = await issue({ labels: 'bug' });
  const [event] = await list(pathOf(secret), 'label', users.planner);
  for (const kind of ['label', 'milestone', 'state', 'weight', 'iteration']) {
    const path = `${pathOf(secret)}/resource_${kind}_events`;
    expectStatus(await app.get(path, { token: null }), 401);
    expectStatus(await app.get(path, by(users.guest)), 404);
    expectStatus(await app.get(path, by(users.stranger)), 404);
    expectStatus(await app.get(`${pathOf(open)}/resource_${kind}_events/${event!.id}`), 404);
    expectStatus(await app.get(`${pathOf(open)}/resource_${kind}_events/999999999`), 404);
    expectStatus(await app.get(`${issuesOf(project)}/9999/resource_${kind}_events`), 404);
  }
  expectStatus(await app.get(`${pathOf(secret)}/resource_state_events/${event!.id}`), 404);
  const hidden = await app.make.project();
  const inside = await issue({ labels: 'bug' }, undefined, hidden);
  expectStatus(await app.get(`${pathOf(inside, hidden)}/resource_label_events`, by(users.stranger)), 404);
});

test('events outlive who caused them, and go with the issue', async () => {
  const leaver = await app.make.user();
  await app.make.member({ project }, leaver.user, 30);
  const made = await issue({ labels: 'bug' }, leaver);
  expectStatus(await app.delete(`/users/${leaver.user.id}`), 204);
  await app.drain();
  assert.equal(((await list(pathOf(made), 'label'))[0]!.user as { username: string } | null)?.username, 'ghost');
  expectStatus(await app.delete(pathOf(made)), 204);
  const left = await app.deps.db
    .selectFrom('resource_events')
    .select('id')
    .where('issuable_type', '=', 'Issue')
    .where('issuable_id', '=', made.id)
    .execute();
  assert.deepEqual(left, []);
});
