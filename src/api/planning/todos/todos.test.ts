import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
interface Todo extends Row {
  id: number;
  target: Row;
}
interface Numbered extends Row {
  id: number;
  iid: number;
}
const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let branches = 0;
before(async () => {
  app = await buildTestApp({ clock });
  project = await app.make.project({ namespace: await app.make.group({ path: 'acme' }), visibility: 'public' });
  users = await app.make.members(project);
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'a\n' });
});
after(() => app.close());

const by = (user?: TestUser) => (user === undefined ? {} : { token: user.token });
const todosOf = async (user: TestUser, query: Record<string, string | number> = {}) =>
  expectStatus<Todo[]>(await app.get('/todos', { ...by(user), query }), 200);
/** What the user has to do about a thing. */
const actionsOn = async (user: TestUser, { id }: { id: number }, state = 'pending') =>
  (await todosOf(user, { state, per_page: 100 }))
    .filter(({ target }) => target.id === id)
    .map((todo) => todo.action_name);
const fresh = async (level = 30, of = project) => {
  const made = await app.make.user();
  await app.make.member({ project: of }, made.user, level);
  return made;
};
const issue = async (json: Row = {}, user?: TestUser, of = project) =>
  expectStatus<Numbered>(
    await app.post(`/projects/${of.id}/issues`, { json: { title: 'Work', ...json }, ...by(user) }),
    201,
  );
const issuePath = ({ iid }: Numbered, of = project) => `/projects/${of.id}/issues/${iid}`;
const put = async (path: string, json: Row, user?: TestUser) =>
  expectStatus<Numbered>(await app.put(path, { json, ...by(user) }), 200);
const mergePath = ({ iid }: Numbered) => `/projects/${project.id}/merge_requests/${iid}`;

async function mergeRequest(json: Row = {}, user?: TestUser, files: Record<string, string> = {}): Promise<Numbered> {
  branches += 1;
  const source_branch = `change-${branches}`;
  const start = git.run(['rev-parse', 'main']);
  git.commit(source_branch, { [`${source_branch}.txt`]: 'x\n', ...files }, { start });
  const body = { source_branch, target_branch: 'main', title: 'Change', ...json };
  const path = `/projects/${project.id}/merge_requests`;
  return expectStatus<Numbered>(await app.post(path, { json: body, ...by(user) }), 201);
}

test('an assigned issue waits for its assignee, with all that tells of it', async () => {
  const [ana, boss] = [await fresh(), users.maintainer];
  const made = await issue({ title: 'Paint', assignee_ids: [ana.user.id] }, boss);
  const [todo, ...rest] = await todosOf(ana);
  assert.deepEqual(rest, []);
  const { target, project: shown, author, ...own } = todo!;
  assert.deepEqual([target.id, target.iid, target.title, target.web_url], [made.id, made.iid, 'Paint', made.web_url]);
  assert.deepEqual(shown, {
    id: project.id,
    description: null,
    name: project.name,
    name_with_namespace: `acme / ${project.name}`,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
  });
  assert.equal((author as Row).username, boss.user.username);
  assert.deepEqual(own, {
    id: todo!.id,
    action_name: 'assigned',
    target_type: 'Issue',
    target_url: made.web_url,
    body: 'Paint',
    state: 'pending',
    created_at: '2026-06-15T12:00:00.000Z',
    updated_at: '2026-06-15T12:00:00.000Z',
  });
});

test('who is assigned later has something to do, once', async () => {
  const ana = await fresh();
  const made = await issue();
  await put(issuePath(made), { assignee_ids: [ana.user.id] });
  await put(issuePath(made), { assignee_ids: [] });
  await put(issuePath(made), { assignee_ids: [ana.user.id] });
  assert.deepEqual(await actionsOn(ana, made), ['assigned']);
  const merge = await mergeRequest({ assignee_ids: [ana.user.id] });
  assert.deepEqual(await actionsOn(ana, merge), ['assigned']);
});

test('a review that is asked for waits for the reviewer', async () => {
  const ana = await fresh();
  const merge = await mergeRequest();
  await put(mergePath(merge), { reviewer_ids: [ana.user.id] });
  const [todo] = await todosOf(ana);
  assert.deepEqual(
    [todo!.action_name, todo!.target_type, todo!.target.id],
    ['review_requested', 'MergeRequest', merge.id],
  );
});

test('mentions in descriptions and comments wait for those who may read them', async () => {
  const [ana, bob] = [await fresh(), await fresh(10)];
  const [a, b, s] = [ana, bob, users.stranger].map(({ user }) => `@${user.username}`);
  const secret = await issue({ confidential: true, description: `${a} and ${b}, see ${s}` });
  await app.drain();
  assert.deepEqual(await actionsOn(ana, secret), ['directly_addressed']);
  assert.deepEqual(await actionsOn(bob, secret), []);
  assert.deepEqual(await actionsOn(users.stranger, secret), []);
  const open = await issue({ description: `Ask ${a}` });
  await app.drain();
  assert.deepEqual(await actionsOn(ana, open), ['mentioned']);
  await put(issuePath(open), { description: `Ask ${a} or ${b}` });
  await app.drain();
  assert.deepEqual(await actionsOn(ana, open), ['mentioned']);
  assert.deepEqual(await actionsOn(bob, open), ['mentioned']);
});

test('every comment that mentions somebody waits for them, with its text', async () => {
  const ana = await fresh();
  const made = await issue();
  for (const body of ['Not you', `First @${ana.user.username}`, `Again @${ana.user.username}`]) {
    expectStatus(await app.post(`${issuePath(made)}/notes`, { json: { body } }), 201);
  }
  await app.drain();
  const todos = await todosOf(ana);
  assert.deepEqual(
    todos.map(({ body }) => body),
    [`Again @${ana.user.username}`, `First @${ana.user.username}`],
  );
  assert.match(String(todos[0]!.target_url), /#note_\d+$/);
  const [note] = expectStatus<Numbered[]>(await app.get(`${issuePath(made)}/notes`), 200);
  expectStatus(await app.delete(`${issuePath(made)}/notes/${note!.id}`), 204);
  assert.equal((await todosOf(ana)).length, 1);
});

test('mentions in comments on commits wait too', async () => {
  const ana = await fresh();
  const sha = git.run(['rev-parse', 'main']);
  const path = `/projects/${project.id}/repository/commits/${sha}/comments`;
  expectStatus(await app.post(path, { json: { note: `Why, @${ana.user.username}?` } }), 201);
  await app.drain();
  const [todo] = await todosOf(ana, { type: 'Commit' });
  assert.deepEqual([todo!.target_type, todo!.target.id, todo!.action_name], ['Commit', sha, 'mentioned']);
  assert.match(String(todo!.target_url), new RegExp(`/-/commit/${sha}#note_\\d+$`));
  expectStatus(await app.post(path, { json: { note: 'Because' }, ...by(ana) }), 201);
  assert.deepEqual(await todosOf(ana), []);
});

test('internal comments wait only for those who may read them', async () => {
  const ana = await fresh(30);
  const made = await issue();
  const json = { body: `Quietly, @${ana.user.username}`, internal: true };
  expectStatus(await app.post(`${issuePath(made)}/notes`, { json }), 201);
  await app.drain();
  assert.equal((await todosOf(ana)).length, 1);
  const counted = async () => expectStatus<{ todos: number }>(await app.get('/user_counts', by(ana)), 200).todos;
  assert.equal(await counted(), 1);
  await app.deps.db.updateTable('members').set({ access_level: 10 }).where('user_id', '=', ana.user.id).execute();
  assert.deepEqual(await todosOf(ana), []);
  assert.equal(await counted(), 0);
});

test('approvers that rules name are asked, but not the author', async () => {
  const [ana, bob] = [await fresh(), await fresh()];
  const rule = { name: 'Two', approvals_required: 1, user_ids: [ana.user.id, bob.user.id] };
  const made = expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
  const merge = await mergeRequest({}, bob);
  await app.drain();
  assert.deepEqual(await actionsOn(ana, merge), ['approval_required']);
  assert.deepEqual(await actionsOn(bob, merge), []);
  expectStatus(await app.delete(`/projects/${project.id}/approval_rules/${made.id}`), 204);
  const later = await mergeRequest({}, bob);
  const own = { name: 'Own', approvals_required: 1, user_ids: [ana.user.id] };
  expectStatus(await app.post(`${mergePath(later)}/approval_rules`, { json: own }), 201);
  assert.deepEqual(await actionsOn(ana, later), ['approval_required']);
  expectStatus(await app.post(`${mergePath(later)}/approve`, by(ana)), 201);
  assert.deepEqual(await actionsOn(ana, later, 'done'), ['approval_required']);
});

test('authors learn of conflicts and of failed builds of their head', async () => {
  const ana = await fresh();
  git.commit('main', { 'shared.txt': 'one\n' });
  const merge = await mergeRequest({}, ana, { 'shared.txt': 'two\n' });
  await app.drain();
  assert.deepEqual(await actionsOn(ana, merge), []);
  const actions = [{ action: 'update', file_path: 'shared.txt', content: 'three\n' }];
  await commitFiles(app, project.id, actions);
  expectStatus(await app.get(mergePath(merge)), 200);
  assert.deepEqual(await actionsOn(ana, merge), ['unmergeable']);
  const { sha, source_branch } = expectStatus(await app.get(mergePath(merge)), 200);
  for (const allow_failure of [true, false]) {
    const body = { state: 'failed', ref: source_branch, name: `build ${allow_failure}` };
    expectStatus(await app.post(`/projects/${project.id}/statuses/${sha}`, { json: body }), 201);
  }
  await app.drain();
  assert.deepEqual(await actionsOn(ana, merge), ['build_failed', 'unmergeable']);
});

test('who acts on something has it done; who only takes it, or acts elsewhere, has not', async () => {
  const bySteps: [string, (user: TestUser, made: Numbered) => Promise<unknown>, boolean][] = [
    ['a comment', (user, made) => app.post(`${issuePath(made)}/notes`, { json: { body: 'Hm' }, ...by(user) }), true],
    [
      'a vote',
      (user, made) => app.post(`${issuePath(made)}/award_emoji`, { json: { name: 'thumbsup' }, ...by(user) }),
      true,
    ],
    ['labels', (user, made) => put(issuePath(made), { labels: 'bug' }, user), true],
    ['a title', (user, made) => put(issuePath(made), { title: 'Other' }, user), true],
    ['closing', (user, made) => put(issuePath(made), { state_event: 'close' }, user), true],
    ['a weight', (user, made) => put(issuePath(made), { weight: 3 }, user), false],
    ['assigning others', (user, made) => put(issuePath(made), { assignee_ids: [users.owner.user.id] }, user), true],
    ['taking it', (user, made) => put(issuePath(made), { assignee_ids: [user.user.id] }, user), false],
    ['closing by others', (_, made) => put(issuePath(made), { state_event: 'close' }), false],
  ];
  for (const [name, act, done] of bySteps) {
    const ana = await fresh();
    const made = await issue();
    const todo = expectStatus<Todo>(await app.post(`${issuePath(made)}/todo`, by(ana)), 201);
    await act(ana, made);
    const pending = (await todosOf(ana)).map(({ id }) => id);
    assert.equal(!pending.includes(todo.id), done, name);
  }
});

test('merging, approving and pushing settle what a merge request asked for', async () => {
  const ana = await fresh(40);
  const approved = await mergeRequest({ reviewer_ids: [ana.user.id] });
  expectStatus(await app.post(`${mergePath(approved)}/approve`, by(ana)), 201);
  assert.deepEqual(await actionsOn(ana, approved), []);
  const merged = await mergeRequest({ assignee_ids: [ana.user.id] });
  expectStatus(await app.put(`${mergePath(merged)}/merge`, by(ana)), 200);
  assert.deepEqual(await actionsOn(ana, merged), []);
  const pushed = await mergeRequest({ assignee_ids: [ana.user.id] });
  await commitFiles(app, project.id, { 'more.txt': 'x' }, { branch: String(pushed.source_branch), token: ana.token });
  assert.deepEqual(await actionsOn(ana, pushed), []);
  const closed = await mergeRequest({ assignee_ids: [ana.user.id] });
  await put(mergePath(closed), { state_event: 'close' }, ana);
  assert.deepEqual(await actionsOn(ana, closed), []);
});

test('a user adds issues and merge requests themselves, once', async () => {
  const ana = await fresh();
  for (const path of [issuePath(await issue()), mergePath(await mergeRequest())]) {
    const todo = expectStatus<Todo>(await app.post(`${path}/todo`, by(ana)), 201);
    assert.deepEqual([todo.action_name, todo.state, (todo.author as Row).id], ['marked', 'pending', ana.user.id]);
    expectStatus(await app.post(`${path}/todo`, by(ana)), 304);
    expectStatus(await app.post(`/todos/${todo.id}/mark_as_done`, by(ana)), 201);
    expectStatus(await app.post(`${path}/todo`, by(ana)), 201);
    expectStatus(await app.post(`${path}/todo`, { token: null }), 401);
    expectStatus(await app.post(`${path}/todo`, by(users.stranger)), 201);
  }
  const secret = issuePath(await issue({ confidential: true }));
  expectStatus(await app.post(`${secret}/todo`, by(users.guest)), 404);
  expectStatus(await app.post(`/projects/${project.id}/issues/9999/todo`, by(ana)), 404);
  expectStatus(await app.post(`/projects/${project.id}/merge_requests/9999/todo`, by(ana)), 404);
  const hidden = await app.make.project();
  expectStatus(await app.post(`${issuePath(await issue({}, undefined, hidden), hidden)}/todo`, by(ana)), 404);
});

test('one entry, or all, are marked as done', async () => {
  const ana = await fresh();
  for (const n of [1, 2, 3]) await issue({ title: `Number ${n}`, assignee_ids: [ana.user.id] });
  const [newest, , oldest] = await todosOf(ana);
  assert.deepEqual([newest!.body, oldest!.body], ['Number 3', 'Number 1']);
  clock.advance(1_000);
  const done = expectStatus<Todo>(await app.post(`/todos/${newest!.id}/mark_as_done`, by(ana)), 201);
  assert.equal(done.state, 'done');
  assert.notEqual(done.updated_at, newest!.updated_at);
  assert.deepEqual(expectStatus(await app.post(`/todos/${newest!.id}/mark_as_done`, by(ana)), 201), done);
  expectStatus(await app.post(`/todos/${oldest!.id}/mark_as_done`, by(users.owner)), 404);
  expectStatus(await app.post(`/todos/${oldest!.id}/mark_as_done`), 404);
  expectStatus(await app.post(`/todos/${oldest!.id}/mark_as_done`, { token: null }), 401);
  assert.equal((await todosOf(ana)).length, 2);
  expectStatus(await app.post('/todos/mark_as_done', { token: null }), 401);
  expectStatus(await app.post('/todos/mark_as_done', by(ana)), 204);
  assert.deepEqual(await todosOf(ana), []);
  assert.equal((await todosOf(ana, { state: 'done' })).length, 3);
});

test('the list is filtered in every way and comes in pages', async () => {
  const ana = await fresh();
  const group = await app.make.group();
  const inner = await app.make.project({ namespace: await app.make.group({ parent: group }), visibility: 'public' });
  await app.make.member({ project: inner }, ana.user, 30);
  await issue({ title: 'here', assignee_ids: [ana.user.id] }, users.maintainer);
  await issue({ title: 'there', assignee_ids: [ana.user.id] }, undefined, inner);
  await mergeRequest({ title: 'merge', reviewer_ids: [ana.user.id] });
  const bodies = async (query: Record<string, string | number>) => (await todosOf(ana, query)).map(({ body }) => body);
  assert.deepEqual(await bodies({}), ['merge', 'there', 'here']);
  assert.deepEqual(await bodies({ type: 'MergeRequest' }), ['merge']);
  assert.deepEqual(await bodies({ type: 'Epic' }), []);
  assert.deepEqual(await bodies({ action: 'assigned' }), ['there', 'here']);
  assert.deepEqual(await bodies({ action: 'merge_train_removed' }), []);
  assert.deepEqual(await bodies({ author_id: users.maintainer.user.id }), ['here']);
  assert.deepEqual(await bodies({ project_id: inner.id }), ['there']);
  assert.deepEqual(await bodies({ group_id: group.id }), ['there']);
  assert.deepEqual(await bodies({ group_id: 999_999 }), []);
  assert.deepEqual(await bodies({ state: 'done' }), []);
  const page = await app.get('/todos', { ...by(ana), query: { per_page: 1, page: 2 } });
  assert.equal(expectStatus<Todo[]>(page, 200)[0]!.body, 'there');
  assert.equal(page.headers['x-total'], '3');
  for (const [name, value] of [
    ['action', 'nothing'],
    ['state', 'later'],
    ['type', 'Thing'],
    ['author_id', 'x'],
  ] as const) {
    expectStatus(await app.get('/todos', { ...by(ana), query: { [name]: value } }), 400);
  }
  expectStatus(await app.get('/todos', { token: null }), 401);
});

test('nothing is shown of what a user may not see any more, and nothing is left of what has gone', async () => {
  const ana = await fresh();
  const inside = await app.make.project();
  await app.make.member({ project: inside }, ana.user, 30);
  const [outsideIssue, insideIssue] = [
    await issue({ assignee_ids: [ana.user.id] }),
    await issue({ assignee_ids: [ana.user.id] }, undefined, inside),
  ];
  const [first] = await todosOf(ana);
  assert.equal(first!.target.id, insideIssue.id);
  await app.deps.db
    .deleteFrom('members')
    .where('user_id', '=', ana.user.id)
    .where('source_id', '=', inside.id)
    .execute();
  assert.deepEqual(await actionsOn(ana, insideIssue), []);
  expectStatus(await app.post(`/todos/${first!.id}/mark_as_done`, by(ana)), 404);
  expectStatus(await app.delete(issuePath(outsideIssue)), 204);
  assert.deepEqual(await todosOf(ana), []);
  expectStatus(await app.delete(`/projects/${inside.id}`), 202);
  await app.drain();
  const left = await app.deps.db.selectFrom('todos').select('id').where('user_id', '=', ana.user.id).execute();
  assert.deepEqual(left, []);
});
