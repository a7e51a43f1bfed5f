import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Issue } from './issues.responses.ts';

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const pathOf = ({ id }: { id: number }) => `/projects/${id}/issues`;

async function create(project: Project, json: object = {}, token?: string): Promise<Issue> {
  const options = { json: { title: 'An issue', ...json }, ...(token === undefined ? {} : { token }) };
  return expectStatus<Issue>(await app.post(pathOf(project), options), 201);
}

async function update(project: Project, iid: number, json: object, token?: string): Promise<Issue> {
  const options = { json, ...(token === undefined ? {} : { token }) };
  return expectStatus<Issue>(await app.put(`${pathOf(project)}/${iid}`, options), 200);
}

const notesOf = async (issue: Issue) => {
  const rows = await app.deps.db
    .selectFrom('notes')
    .select(['system_action', 'note'])
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', issue.id)
    .orderBy('id')
    .execute();
  return rows.map(({ system_action, note }) => [system_action, note]);
};

const eventsOf = async (project: Project) => {
  const rows = await app.deps.db
    .selectFrom('domain_events')
    .select(['type', 'payload'])
    .where('project_id', '=', project.id)
    .where('type', 'like', 'issue.%')
    .orderBy('id')
    .execute();
  return rows.map(({ type, payload }) => ({ type, payload: JSON.parse(payload) as Record<string, unknown> }));
};

async function milestone(project: Project, title: string) {
  const { id } = expectStatus<{ id: number }>(
    await app.post(`/projects/${project.id}/milestones`, { json: { title } }),
    201,
  );
  return id;
}

test('an issue is made with labels, people, milestone and dates', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 10);
  const { user: stranger } = await app.make.user();
  const milestone_id = await milestone(project, 'v1');
  const made = await create(project, {
    description: 'See @root',
    labels: 'bug, ui,bug,',
    assignee_ids: [user.id, stranger.id, 0],
    milestone_id,
    due_date: '2030-02-01',
    weight: 4,
    confidential: true,
    issue_type: 'task',
  });
  assert.deepEqual(made.labels, ['bug', 'ui']);
  assert.deepEqual(
    made.assignees.map(({ id }) => id),
    [user.id],
  );
  assert.equal(made.milestone?.title, 'v1');
  assert.deepEqual(
    [made.iid, made.due_date, made.weight, made.confidential, made.issue_type, made.type, made.subscribed],
    [1, '2030-02-01', 4, true, 'task', 'TASK', true],
  );
  assert.equal(made.web_url.endsWith(`/${project.full_path}/-/issues/1`), true);
  assert.deepEqual(expectStatus(await app.get(`${pathOf(project)}/1`), 200), made);
  assert.deepEqual(expectStatus(await app.get(`/issues/${made.id}`), 200), made);
  assert.deepEqual(
    (await eventsOf(project)).map(({ type }) => type),
    ['issue.created'],
  );
});

test('each change is told in a note and in one event with old and new values', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const made = await create(project, { labels: 'old' });
  const milestone_id = await milestone(project, 'v2');
  const changed = await update(project, 1, {
    title: 'Better',
    description: 'More',
    add_labels: 'new',
    remove_labels: ['old'],
    assignee_id: user.id,
    milestone_id,
    due_date: '2030-12-24',
    weight: 0,
    confidential: true,
    discussion_locked: true,
    issue_type: 'incident',
  });
  assert.deepEqual(
    [changed.title, changed.labels, changed.assignee?.id, changed.milestone?.id, changed.weight],
    ['Better', ['new'], user.id, milestone_id, 0],
  );
  const [, ...notes] = await notesOf(made);
  assert.deepEqual(
    notes.map(([action, text]) => [action, text!.replace(/~\d+/g, '~n')]),
    [
      ['title', 'changed title from **{-An issue-}** to **{+Better+}**'],
      ['description', 'changed the description'],
      ['confidential', 'made the issue confidential'],
      ['locked', 'locked the discussion in this issue'],
      ['due_date', 'changed due date to December 24, 2030'],
      ['weight', 'changed weight to **0**'],
      ['issue_type', 'changed issue type to incident'],
      ['milestone', 'changed milestone to %"v2"'],
      ['label', 'added ~n label and removed ~n label'],
      ['assignee', `assigned to @${user.username}`],
    ],
  );
  const { payload } = (await eventsOf(project)).at(-1)!;
  const changes = payload.changes as Record<string, unknown>;
  assert.deepEqual(
    (changes.labels as { name: string }[][]).map((labels) => labels.map(({ name }) => name)),
    [['old'], ['new']],
  );
  assert.deepEqual(changes.assignee_ids, [[], [user.id]]);
  assert.deepEqual(changes.confidential, [false, true]);
  assert.deepEqual(changes.title, ['An issue', 'Better']);
  const emptied = await update(project, 1, {
    labels: '',
    assignee_ids: [],
    milestone_id: '',
    due_date: '',
    weight: null,
    confidential: false,
    discussion_locked: false,
  });
  assert.deepEqual(
    [emptied.labels, emptied.assignees, emptied.milestone, emptied.due_date, emptied.weight, emptied.confidential],
    [[], [], null, null, null, false],
  );
  const count = (await eventsOf(project)).length;
  await update(project, 1, { title: 'Better', labels: [], weight: '' });
  assert.equal((await eventsOf(project)).length, count);
});

test('an issue is closed and reopened once, with who and when', async () => {
  const project = await app.make.project();
  const made = await create(project);
  const closed = await update(project, 1, { state_event: 'close' });
  assert.deepEqual([closed.state, closed.closed_by?.username], ['closed', 'root']);
  assert.equal(typeof closed.closed_at, 'string');
  await update(project, 1, { state_event: 'close' });
  const open = await update(project, 1, { state_event: 'reopen' });
  assert.deepEqual([open.state, open.closed_by, open.closed_at], ['opened', null, null]);
  await update(project, 1, { state_event: 'reopen' });
  assert.deepEqual(await notesOf(made), [
    ['closed', 'closed'],
    ['reopened', 'reopened'],
  ]);
  assert.deepEqual(
    (await eventsOf(project)).map(({ type }) => type),
    ['issue.created', 'issue.closed', 'issue.reopened'],
  );
});

test('POST and PUT refuse what does not fit', async () => {
  const project = await app.make.project();
  await create(project);
  const post = async (status: number, json: object) =>
    message(expectStatus(await app.post(pathOf(project), { json }), status));
  const put = async (status: number, json: object) =>
    message(expectStatus(await app.put(`${pathOf(project)}/1`, { json }), status));
  assert.equal(await post(400, {}), 'title is missing');
  assert.equal(await post(400, { title: ' ' }), "title can't be blank");
  assert.equal(await post(400, { title: 'x'.repeat(256) }), 'title is too long (maximum is 255 characters)');
  assert.equal(await post(400, { title: 'x', weight: -1 }), 'weight must be greater than or equal to 0');
  assert.equal(await post(400, { title: 'x', issue_type: 'epic' }), 'issue_type does not have a valid value');
  assert.equal(await post(400, { title: 'x', due_date: 'soon' }), 'due_date is invalid');
  assert.equal(await post(409, { title: 'x', iid: 1 }), 'Duplicated issue');
  assert.equal(await put(400, { state_event: 'merge' }), 'state_event does not have a valid value');
  assert.match(await put(400, {}), /title, .*are missing, at least one parameter must be provided$/);
  assert.equal(
    message(expectStatus(await app.put(`${pathOf(project)}/9`, { json: { title: 'x' } }), 404)),
    '404 Not found',
  );
});

test('only owners choose number and times', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { maintainer, owner } = await app.make.members(project);
  const wish = { iid: 70, created_at: '2020-01-01T00:00:00Z' };
  const plain = await create(project, wish, maintainer.token);
  assert.equal(plain.iid, 1);
  assert.notEqual(plain.created_at, '2020-01-01T00:00:00.000Z');
  const wished = await create(project, wish, owner.token);
  assert.deepEqual([wished.iid, wished.created_at], [70, '2020-01-01T00:00:00.000Z']);
  assert.equal((await create(project)).iid, 71);
  const updated_at = '2020-02-01T00:00:00Z';
  assert.equal((await update(project, 70, { updated_at }, owner.token)).updated_at, '2020-02-01T00:00:00.000Z');
  const updated = await update(project, 70, { title: 'y', updated_at }, maintainer.token);
  assert.notEqual(updated.updated_at, '2020-02-01T00:00:00.000Z');
  assert.equal((await create(project, { author_id: owner.user.id }, maintainer.token)).author.id, maintainer.user.id);
});

test('who may make and change issues', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, guest, planner, reporter, developer } = await app.make.members(project);
  expectStatus(await app.post(pathOf(project), { token: null, json: { title: 'x' } }), 401);
  const meta = {
    labels: 'bug',
    assignee_id: guest.user.id,
    weight: 2,
    due_date: '2030-01-01',
    discussion_locked: true,
  };
  await app.post(`/projects/${project.id}/labels`, { json: { name: 'bug', color: '#ff0000' } });
  for (const { user, token } of [stranger, guest]) {
    const made = await create(project, { ...meta, labels: 'bug,unknown', confidential: true }, token);
    const [labels, weight, dueDate] = user.id === guest.user.id ? [['bug'], 2, '2030-01-01'] : [[], null, null];
    assert.deepEqual(
      [made.author.id, made.labels, made.assignees.length, made.weight, made.due_date],
      [user.id, labels, labels.length, weight, dueDate],
    );
    assert.equal(made.confidential, true);
    const later = { ...meta, labels: '', weight: 7, confidential: false };
    const mine = await update(project, made.iid, { title: 'Mine', ...later }, token);
    assert.deepEqual([mine.title, mine.labels, mine.weight, mine.confidential], ['Mine', labels, weight, true]);
    assert.equal((await update(project, made.iid, { state_event: 'close' }, token)).state, 'closed');
    assert.equal((await update(project, made.iid, { state_event: 'reopen' }, token)).state, 'opened');
  }
  const { iid } = await create(project);
  for (const { token } of [stranger, guest]) {
    expectStatus(await app.put(`${pathOf(project)}/${iid}`, { token, json: { title: 'x' } }), 403);
    expectStatus(await app.put(`${pathOf(project)}/${iid}`, { token, json: { state_event: 'close' } }), 403);
  }
  for (const { token } of [planner, reporter, developer]) {
    const changed = await update(project, iid, { ...meta, labels: 'seen' }, token);
    assert.deepEqual([changed.labels, changed.weight, changed.discussion_locked], [['seen'], 2, true]);
  }
  // Members may change what is given to them, as far as its author may.
  assert.equal((await update(project, iid, { title: 'Given', weight: 9 }, guest.token)).weight, 2);
  const readOnly = await app.make.token(developer.user.id, ['read_api']);
  expectStatus(await app.post(pathOf(project), { token: readOnly, json: { title: 'x' } }), 403);
  expectStatus(await app.put(`${pathOf(project)}/${iid}`, { token: readOnly, json: { title: 'x' } }), 403);
  expectStatus(await app.get(`/issues/${(await create(project)).id}`, { token: developer.token }), 403);
});

test('confidential issues are there only for Planners and up, authors and assignees', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, guest, planner, reporter } = await app.make.members(project);
  const { iid } = await create(project, { confidential: true, assignee_id: guest.user.id });
  const path = `${pathOf(project)}/${iid}`;
  for (const token of [null, stranger.token]) expectStatus(await app.get(path, { token }), 404);
  for (const token of [guest.token, planner.token, reporter.token]) expectStatus(await app.get(path, { token }), 200);
  expectStatus(await app.put(path, { token: stranger.token, json: { title: 'x' } }), 404);
  expectStatus(await app.delete(path, { token: stranger.token }), 404);
  expectStatus(await app.post(`${path}/subscribe`, { token: stranger.token }), 404);
  const other = await create(project, { confidential: true }, stranger.token);
  expectStatus(await app.get(`${pathOf(project)}/${other.iid}`, { token: stranger.token }), 200);
  expectStatus(await app.get(`${pathOf(project)}/${other.iid}`, { token: guest.token }), 404);
  const seen = async (token: string | null, query: Record<string, string> = {}) => {
    const list = expectStatus<Issue[]>(await app.get(pathOf(project), { token, query }), 200);
    return list.map((issue) => issue.iid).sort();
  };
  assert.deepEqual(await seen(null), []);
  assert.deepEqual(await seen(stranger.token), [other.iid]);
  assert.deepEqual(await seen(guest.token), [iid]);
  assert.deepEqual(await seen(planner.token), [iid, other.iid]);
  assert.deepEqual(await seen(null, { confidential: 'true' }), []);
});

test('issues are hidden where the project or that part of it is', async () => {
  const hidden = await app.make.project();
  const closed = await app.make.project({ visibility: 'public', columns: { issues_access_level: 'disabled' } });
  const inner = await app.make.project({ visibility: 'public', columns: { issues_access_level: 'private' } });
  const archived = await app.make.project({ visibility: 'public' });
  const { guest, stranger } = await app.make.members(inner);
  await create(hidden);
  const { iid } = await create(inner);
  const old = await create(archived);
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', archived.id).execute();
  expectStatus(await app.get(pathOf(hidden), { token: stranger.token }), 404);
  expectStatus(await app.get(`${pathOf(hidden)}/1`, { token: stranger.token }), 404);
  expectStatus(await app.post(pathOf(hidden), { token: stranger.token, json: { title: 'x' } }), 404);
  assert.deepEqual(expectStatus(await app.get(pathOf(closed)), 200), []);
  expectStatus(await app.post(pathOf(closed), { json: { title: 'x' } }), 403);
  assert.deepEqual(expectStatus(await app.get(pathOf(inner), { token: stranger.token }), 200), []);
  for (const one of [iid, 999]) {
    expectStatus(await app.get(`${pathOf(inner)}/${one}`, { token: stranger.token }), 403);
    expectStatus(await app.get(`${pathOf(inner)}/${one}`, { token: null }), 404);
  }
  expectStatus(await app.get(`${pathOf(inner)}/${iid}`, { token: guest.token }), 200);
  expectStatus(await app.post(pathOf(archived), { json: { title: 'x' } }), 403);
  expectStatus(await app.put(`${pathOf(archived)}/${old.iid}`, { json: { title: 'x' } }), 403);
  expectStatus(await app.delete(`${pathOf(archived)}/${old.iid}`), 403);
});

test('an issue is deleted by owners, with everything about it', async () => {
  const project = await app.make.project();
  const { maintainer, owner } = await app.make.members(project);
  const made = await create(project, { labels: 'bug', assignee_id: owner.user.id });
  const path = `${pathOf(project)}/${made.iid}`;
  await app.post(`${path}/add_spent_time`, { json: { duration: '1h' } });
  await app.post(`${path}/award_emoji`, { json: { name: 'thumbsup' } });
  await app.post(`${path}/unsubscribe`);
  expectStatus(await app.delete(path, { token: maintainer.token }), 403);
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(path, { token: owner.token, headers }), 412);
  expectStatus(await app.delete(path, { token: owner.token }), 204);
  expectStatus(await app.get(path), 404);
  const { db } = app.deps;
  const left = [
    await db.selectFrom('notes').select('id').where('noteable_id', '=', made.id).execute(),
    await db.selectFrom('issuable_labels').select('label_id').where('issuable_id', '=', made.id).execute(),
    await db.selectFrom('issuable_assignees').select('user_id').where('issuable_id', '=', made.id).execute(),
    await db.selectFrom('subscriptions').select('user_id').where('subscribable_id', '=', made.id).execute(),
    await db.selectFrom('time_logs').select('id').where('issuable_id', '=', made.id).execute(),
    await db.selectFrom('award_emoji').select('id').where('awardable_id', '=', made.id).execute(),
  ];
  assert.deepEqual(left.flat(), []);
  const { type, payload } = (await eventsOf(project)).at(-1)!;
  const { issue: issueFacts, ...rest } = payload;
  assert.equal((issueFacts as { title: string }).title, made.title);
  assert.deepEqual(
    [type, rest],
    ['issue.destroyed', { issue_id: made.id, project_id: project.id, iid: made.iid, title: made.title }],
  );
});

test('issues made at once get consecutive numbers', async () => {
  const project = await app.make.project();
  const made = await Promise.all(Array.from({ length: 50 }, (_, n) => create(project, { title: `Issue ${n}` })));
  const numbers = made.map(({ iid }) => iid).sort((a, b) => a - b);
  assert.deepEqual(
    numbers,
    Array.from({ length: 50 }, (_, n) => n + 1),
  );
});

test('one user makes 300 issues a minute at most', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user });
  await create(project, {}, token);
  for (let n = 1; n < 300; n += 1) {
    app.deps.limiter.check('issues_create', `user:${user.id}`, { requests: 300, periodSeconds: 60 });
  }
  const refused = await app.post(pathOf(project), { token, json: { title: 'x' } });
  expectStatus(refused, 429);
  assert.equal(refused.headers['retry-after'], '60');
  clock.advance(60_000);
  await create(project, {}, token);
});

test('assignees and labels are taken as a bare number, and away by 0, null or an empty list', async () => {
  const project = await app.make.project();
  const { developer } = await app.make.members(project);
  const ids = (issue: Issue) => issue.assignees.map(({ id }) => id);
  const { iid } = await create(project, { assignee_ids: developer.user.id, labels: 5 });
  for (const none of [{ assignee_ids: 0 }, { assignee_ids: null }, { assignee_ids: [] }, { assignee_ids: [0] }]) {
    assert.deepEqual(ids(await update(project, iid, { assignee_ids: developer.user.id })), [developer.user.id]);
    assert.deepEqual(ids(await update(project, iid, none)), [], JSON.stringify(none));
  }
  assert.deepEqual((await update(project, iid, { title: 'Other' })).labels, ['5']);
  assert.deepEqual((await update(project, iid, { labels: null })).labels, []);
  assert.deepEqual(ids(await create(project, { assignee_ids: null, labels: null })), []);
});
