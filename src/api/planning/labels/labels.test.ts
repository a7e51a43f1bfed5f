import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { timestamp } from '../../../core/clock.ts';
import { nextIid } from '../../../db/iids.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { LabelJson } from './labels.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

type Query = NonNullable<RequestOptions['query']>;
const labelsOf = (project: { id: number }) => `/projects/${project.id}/labels`;
const groupLabels = (group: { id: number }) => `/groups/${group.id}/labels`;
const create = async (path: string, json: object) =>
  expectStatus<LabelJson>(await app.post(path, { json: { color: '#d9534f', ...json } }), 201);
const names = async (path: string, query: Query = {}, token?: string | null) =>
  expectStatus<LabelJson[]>(await app.get(path, { query, ...(token === undefined ? {} : { token }) }), 200).map(
    ({ name }) => name,
  );
const message = (body: unknown) => (body as { message: string }).message;

/** An issue with labels. */
async function issue(project: Project, labels: LabelJson[], columns: Partial<Issue> = {}): Promise<number> {
  return app.deps.db.transaction().execute(async (db) => {
    const now = timestamp(app.deps.clock);
    const iid = await nextIid(db, { source_type: 'project', source_id: project.id, usage: 'issues' });
    const base = { iid, project_id: project.id, author_id: 1, title: 'x', created_at: now, updated_at: now };
    const rest = { description: null, weight: null, health_status: null, start_date: null, due_date: null };
    const none = { discussion_locked: null, milestone_id: null, relative_position: null, moved_to_id: null };
    const open = { duplicated_to_id: null, closed_at: null, closed_by_id: null, updated_by_id: null };
    const { id: _, ...input } = columns;
    const { id } = await db
      .insertInto('issues')
      .values({ ...base, ...rest, ...none, ...open, ...input })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const label of labels) {
      await db
        .insertInto('issuable_labels')
        .values({ issuable_type: 'Issue', issuable_id: id, label_id: label.id, project_id: project.id })
        .execute();
    }
    return id;
  });
}

const labelsOfIssue = async (id: number) =>
  (
    await app.deps.db
      .selectFrom('issuable_labels')
      .select('label_id')
      .where('issuable_type', '=', 'Issue')
      .where('issuable_id', '=', id)
      .orderBy('label_id')
      .execute()
  ).map(({ label_id }) => label_id);

test('a label of a project is made, read, changed and removed', async () => {
  const project = await app.make.project();
  const path = labelsOf(project);
  const bug = await create(path, { name: ' bug ', color: '#f0ad4e', description: 'a <b> & c', priority: 10 });
  assert.deepEqual(bug, {
    id: bug.id,
    name: 'bug',
    description: 'a <b> & c',
    description_html: 'a &lt;b&gt; &amp; c',
    text_color: '#FFFFFF',
    color: '#f0ad4e',
    archived: false,
    subscribed: false,
    priority: 10,
    is_project_label: true,
  });
  const plain = await create(path, { name: 'scope::a/b c', color: 'Lavender' });
  assert.deepEqual(
    [plain.color, plain.text_color, plain.description, plain.description_html, plain.priority],
    ['#E6E6FA', '#1F1E24', null, null, null],
  );
  assert.equal((await create(path, { name: 'short', color: '#fff' })).text_color, '#1F1E24');
  for (const key of [bug.id, 'bug']) assert.deepEqual(expectStatus(await app.get(`${path}/${key}`), 200), bug);
  expectStatus(await app.get(`${path}/${encodeURIComponent('scope::a/b c')}`), 200);
  const put = async (key: string | number, json: object) =>
    expectStatus<LabelJson>(await app.put(`${path}/${key}`, { json }), 200);
  const renamed = await put('bug', { new_name: 'defect', color: 'red', description: '', archived: true });
  assert.deepEqual(
    [renamed.name, renamed.color, renamed.description, renamed.archived, renamed.priority],
    ['defect', '#FF0000', '', true, 10],
  );
  assert.equal((await put(bug.id, { priority: 0 })).priority, 0);
  assert.equal((await put(bug.id, { priority: null })).priority, null);
  expectStatus(await app.delete(`${path}/defect`), 204);
  for (const response of [
    await app.get(`${path}/defect`),
    await app.put(`${path}/defect`, { json: { color: 'red' } }),
    await app.delete(`${path}/${bug.id}`),
    await app.post(`${path}/${bug.id}/subscribe`),
  ]) {
    assert.equal(message(expectStatus(response, 404)), '404 Label Not Found');
  }
});

test('older endpoints take the label from the parameters', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  for (const path of [labelsOf(project), groupLabels(group)]) {
    const { id, name } = await create(path, { name: `old ${path}` });
    const put = async (json: object, status = 200) => expectStatus<LabelJson>(await app.put(path, { json }), status);
    assert.equal((await put({ name, new_name: `${name} 2` })).name, `${name} 2`);
    assert.equal((await put({ label_id: id, color: '#123456' })).color, '#123456');
    assert.equal(
      message(await put({ color: 'red' }, 400)),
      'label_id, name are missing, exactly one parameter must be provided',
    );
    assert.equal(
      message(await put({ name, label_id: id, color: 'red' }, 400)),
      'label_id, name are mutually exclusive',
    );
    assert.match(
      message(await put({ name }, 400)),
      /^new_name, color, description, .* at least one parameter must be provided$/,
    );
    expectStatus(await app.delete(path), 400);
    expectStatus(await app.delete(path, { query: { name } }), 404);
    expectStatus(await app.delete(path, { query: { name: `${name} 2` } }), 204);
    expectStatus(await app.delete(path, { json: { label_id: id } }), 404);
  }
});

test('labels that do not validate are refused', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const path = labelsOf(project);
  const refusal = async (json: object, status = 400) =>
    expectStatus<{ message: string; errors?: unknown }>(await app.post(path, { json }), status);
  const bug = await create(path, { name: 'bug' });
  await create(groupLabels(group), { name: 'above' });
  assert.equal((await refusal({})).message, 'name is missing, color is missing');
  assert.equal((await refusal({ name: 'x' })).message, 'color is missing');
  for (const color of ['#FFAA', '#FFAAFFFF', 'nocolor', '#GGGGGG', 'FFAABB']) {
    assert.deepEqual((await refusal({ name: 'x', color })).errors, { color: ['must be a valid color code'] });
  }
  const color = '#FFAABB';
  assert.deepEqual((await refusal({ name: ',', color })).errors, { title: ['is invalid'] });
  assert.deepEqual((await refusal({ name: ' ', color })).errors, { title: ["can't be blank", 'is invalid'] });
  assert.deepEqual((await refusal({ name: 'a'.repeat(256), color })).errors, {
    title: ['is too long (maximum is 255 characters)'],
  });
  for (const name of ['bug', 'above'])
    assert.equal((await refusal({ name, color }, 409)).message, 'Label already exists');
  assert.equal((await refusal({ name: 'x', color, priority: -1 })).message, 'priority does not have a valid value');
  const put = async (json: object) =>
    expectStatus<{ message: string; errors?: unknown }>(await app.put(`${path}/${bug.id}`, { json }), 400);
  await create(path, { name: 'other' });
  assert.deepEqual((await put({ new_name: 'other' })).errors, { title: ['has already been taken'] });
  assert.deepEqual((await put({ new_name: 'above' })).errors, {
    title: [`already exists at group level for ${group.name}. Please choose another one.`],
  });
  assert.deepEqual((await put({ color: 'x', new_name: '' })).errors, {
    title: ["can't be blank", 'is invalid'],
    color: ['must be a valid color code'],
  });
  assert.equal(
    message(await put({})),
    'new_name, color, description, priority, archived are missing, at least one parameter must be provided',
  );
});

test('of two that make one label at once one is refused', async () => {
  const project = await app.make.project();
  const json = { name: 'race', color: 'red' };
  const answers = await Promise.all([1, 2].map(() => app.post(labelsOf(project), { json })));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409]);
});

test('projects and groups offer labels of the groups above them', async () => {
  const top = await app.make.group({ visibility: 'public' });
  const sub = await app.make.group({ parent: top });
  const project = await app.make.project({ namespace: sub });
  const other = await app.make.project({ namespace: sub });
  await create(groupLabels(top), { name: 'top' });
  const { id: subId } = await create(groupLabels(sub), { name: 'sub', description: 'Find me' });
  await create(labelsOf(project), { name: 'own' });
  await create(labelsOf(other), { name: 'other' });
  const path = labelsOf(project);
  assert.deepEqual(await names(path), ['own', 'sub', 'top']);
  assert.deepEqual(await names(path, { include_ancestor_groups: false }), ['own', 'sub']);
  assert.deepEqual(await names(path, { search: 'ME find' }), ['sub']);
  assert.deepEqual(await names(path, { search: '%' }), []);
  assert.deepEqual(await names(path, { per_page: 1, page: 2 }), ['sub']);
  assert.equal((await app.get(path)).headers['x-total'], '3');
  expectStatus(await app.put(`${path}/own`, { json: { archived: true } }), 200);
  assert.deepEqual(await names(path, { archived: true }), ['own']);
  assert.deepEqual(await names(path, { archived: false }), ['sub', 'top']);
  const inherited = expectStatus<LabelJson>(await app.get(`${path}/top`), 200);
  assert.equal(inherited.is_project_label, false);
  expectStatus(await app.get(`${path}/top`, { query: { include_ancestor_groups: false } }), 404);
  expectStatus(await app.get(`${path}/other`), 404);
  // A project ranks labels of its group for itself.
  const ranked = expectStatus<LabelJson>(await app.put(`${path}/${subId}`, { json: { priority: 3 } }), 200);
  assert.equal(ranked.priority, 3);
  assert.equal(expectStatus<LabelJson>(await app.get(`${labelsOf(other)}/sub`), 200).priority, null);

  assert.deepEqual(await names(groupLabels(sub)), ['sub', 'top']);
  assert.deepEqual(await names(groupLabels(sub), { include_ancestor_groups: false }), ['sub']);
  assert.deepEqual(await names(groupLabels(sub), { only_group_labels: false }), ['other', 'own', 'sub', 'top']);
  assert.deepEqual(await names(groupLabels(top)), ['top']);
  assert.deepEqual(await names(groupLabels(top), { only_group_labels: false }), ['top']);
  const below = { include_descendant_groups: true, only_group_labels: false };
  assert.deepEqual(await names(groupLabels(top), below), ['other', 'own', 'sub', 'top']);
  const { token } = await app.make.user();
  for (const who of [token, null]) assert.deepEqual(await names(groupLabels(top), below, who), ['top']);
  const shown = expectStatus<LabelJson>(await app.get(`${groupLabels(sub)}/top`), 200);
  assert.equal('priority' in shown || 'is_project_label' in shown, false);
});

test('the nearest label of a name is meant', async () => {
  const top = await app.make.group();
  const sub = await app.make.group({ parent: top });
  const project = await app.make.project({ namespace: sub });
  const own = await create(labelsOf(project), { name: 'same' });
  const near = await create(groupLabels(sub), { name: 'same' });
  await app.deps.db
    .insertInto('labels')
    .values({ ...labelRow('same'), group_id: top.id })
    .execute();
  assert.equal(expectStatus<LabelJson>(await app.get(`${labelsOf(project)}/same`), 200).id, own.id);
  expectStatus(await app.delete(`${labelsOf(project)}/${own.id}`), 204);
  assert.equal(expectStatus<LabelJson>(await app.get(`${labelsOf(project)}/same`), 200).id, near.id);
});

const labelRow = (name: string) => {
  const now = timestamp(app.deps.clock);
  const base = { project_id: null, group_id: null, color: '#123456', description: null };
  return { ...base, name, created_at: now, updated_at: now };
};

test('counts hold what the caller may see', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ namespace: group, visibility: 'public' });
  const hidden = await app.make.project({ namespace: group });
  const bug = await create(labelsOf(project), { name: 'bug' });
  const shared = await create(groupLabels(group), { name: 'shared' });
  const { guest, planner, stranger } = await app.make.members(project);
  await issue(project, [bug, shared]);
  await issue(project, [bug], { state: 'closed' });
  await issue(project, [bug], { confidential: 1 });
  await issue(project, [bug], { confidential: 1, author_id: guest.user.id });
  await issue(hidden, [shared]);
  for (const state of ['opened', 'merged'] as const) {
    const { id } = await makeMergeRequest(app, project, { state });
    const key = { issuable_type: 'MergeRequest', issuable_id: id } as const;
    await app.deps.db
      .insertInto('issuable_labels')
      .values({ ...key, label_id: bug.id, project_id: project.id })
      .execute();
  }
  const counts = async (token: string | null, path = labelsOf(project)) =>
    expectStatus<LabelJson[]>(await app.get(path, { token, query: { with_counts: true } }), 200).map((label) => [
      label.name,
      label.open_issues_count,
      label.closed_issues_count,
      label.open_merge_requests_count,
    ]);
  assert.deepEqual(await counts(null), [
    ['bug', 1, 1, 1],
    ['shared', 1, 0, 0],
  ]);
  assert.deepEqual(await counts(stranger.token), await counts(null));
  assert.deepEqual(await counts(guest.token), [
    ['bug', 2, 1, 1],
    ['shared', 1, 0, 0],
  ]);
  assert.deepEqual((await counts(planner.token))[0], ['bug', 3, 1, 1]);
  const { user, token } = await app.make.user({ admin: true });
  assert.equal(user.admin, 1);
  assert.deepEqual(await counts(token, groupLabels(group)), [['shared', 2, 0, 0]]);
  const [plain] = expectStatus<LabelJson[]>(await app.get(labelsOf(project)), 200);
  assert.equal('open_issues_count' in plain!, false);
});

test('users subscribe to labels for themselves', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ namespace: group, visibility: 'public' });
  const bug = await create(labelsOf(project), { name: 'bug' });
  const shared = await create(groupLabels(group), { name: 'shared' });
  const { token } = await app.make.user();
  for (const path of [
    `${labelsOf(project)}/${bug.id}`,
    `${labelsOf(project)}/bug`,
    `${labelsOf(project)}/shared`,
    `${groupLabels(group)}/${shared.id}`,
  ]) {
    const post = (action: string, options: RequestOptions = { token }) => app.post(`${path}/${action}`, options);
    expectStatus(await post('unsubscribe'), 304);
    assert.equal(expectStatus<LabelJson>(await post('subscribe'), 201).subscribed, true);
    expectStatus(await post('subscribe'), 304);
    assert.equal(expectStatus<LabelJson>(await app.get(path, { token }), 200).subscribed, true);
    assert.equal(expectStatus<LabelJson>(await app.get(path), 200).subscribed, false);
    assert.equal(expectStatus<LabelJson>(await app.get(path, { token: null }), 200).subscribed, false);
    assert.equal(expectStatus<LabelJson>(await post('unsubscribe'), 201).subscribed, false);
    expectStatus(await post('subscribe', { token: null }), 401);
  }
  expectStatus(await app.post(`${labelsOf(project)}/bug/subscribe`, { token }), 201);
  expectStatus(await app.delete(`${labelsOf(project)}/bug`), 204);
  const left = await app.deps.db
    .selectFrom('subscriptions')
    .select('user_id')
    .where('subscribable_id', '=', bug.id)
    .execute();
  assert.deepEqual(left, []);
});

test('subscriptions go with the group of a label', async () => {
  const group = await app.make.group();
  const shared = await create(groupLabels(group), { name: 'shared' });
  expectStatus(await app.post(`${groupLabels(group)}/shared/subscribe`), 201);
  expectStatus(await app.delete(`/groups/${group.id}`), 202);
  await app.drain();
  const left = await app.deps.db
    .selectFrom('subscriptions')
    .select('user_id')
    .where('subscribable_id', '=', shared.id)
    .execute();
  assert.deepEqual(left, []);
  expectStatus(await app.get(`/groups/${group.id}`), 404);
});

test('promotion makes one label of the group out of all of that name', async () => {
  const group = await app.make.group();
  const [one, two] = [await app.make.project({ namespace: group }), await app.make.project({ namespace: group })];
  const first = await create(labelsOf(one), { name: 'bug', description: 'kept', priority: 1 });
  const second = await create(labelsOf(two), { name: 'bug', priority: 2 });
  const { user, token } = await app.make.user();
  await app.make.member({ group }, user, 10);
  expectStatus(await app.post(`${labelsOf(two)}/bug/subscribe`, { token }), 201);
  const issues = [await issue(one, [first]), await issue(two, [second])];
  const promoted = expectStatus<LabelJson>(await app.put(`${labelsOf(one)}/bug/promote`), 200);
  assert.deepEqual([promoted.name, promoted.description, promoted.color], ['bug', 'kept', first.color]);
  for (const id of issues) assert.deepEqual(await labelsOfIssue(id), [promoted.id]);
  assert.deepEqual(await names(groupLabels(group)), ['bug']);
  const seen = expectStatus<LabelJson>(await app.get(`${labelsOf(two)}/bug`, { token }), 200);
  assert.deepEqual([seen.id, seen.priority, seen.subscribed, seen.is_project_label], [promoted.id, 2, true, false]);
  const failed = 'Failed to promote project label to group label';
  assert.equal(message(expectStatus(await app.put(`${labelsOf(one)}/bug/promote`), 400)), failed);
  // The group has one of that name already: it takes over, and issues with both have it once.
  const again = await create(labelsOf(one), { name: 'later' });
  const above = await create(groupLabels(group), { name: 'later' });
  const both = await issue(one, [again, above]);
  const taken = expectStatus<LabelJson>(await app.put(`${labelsOf(one)}/promote`, { json: { name: 'later' } }), 200);
  assert.equal(taken.id, above.id);
  assert.deepEqual(await labelsOfIssue(both), [above.id]);
  expectStatus(await app.put(`${labelsOf(one)}/none/promote`), 404);
  const personal = await app.make.project();
  await create(labelsOf(personal), { name: 'x' });
  assert.equal(message(expectStatus(await app.put(`${labelsOf(personal)}/x/promote`), 400)), failed);
  await create(labelsOf(one), { name: 'own' });
  const { maintainer } = await app.make.members(one);
  expectStatus(await app.put(`${labelsOf(one)}/own/promote`, { token: maintainer.token }), 403);
});

test('everybody who sees a project reads its labels, Planners write them', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ namespace: group, visibility: 'public' });
  const path = labelsOf(project);
  await create(path, { name: 'bug' });
  await create(groupLabels(group), { name: 'shared' });
  const { stranger, guest, planner, reporter, maintainer } = await app.make.members(project);
  const json = { name: 'new', color: 'red' };
  for (const token of [null, stranger.token, guest.token]) {
    const status = token === null ? 401 : 403;
    expectStatus(await app.get(path, { token }), 200);
    expectStatus(await app.get(`${path}/bug`, { token }), 200);
    expectStatus(await app.post(path, { token, json }), status);
    expectStatus(await app.put(`${path}/bug`, { token, json: { color: 'red' } }), status);
    expectStatus(await app.put(path, { token, json: { name: 'bug', color: 'red' } }), status);
    expectStatus(await app.delete(`${path}/bug`, { token }), status);
    expectStatus(await app.delete(path, { token, json: { name: 'bug' } }), status);
    expectStatus(await app.put(`${path}/bug/promote`, { token }), status);
    expectStatus(await app.post(groupLabels(group), { token, json }), status);
    expectStatus(await app.put(`${groupLabels(group)}/shared`, { token, json: { color: 'red' } }), status);
    expectStatus(await app.delete(`${groupLabels(group)}/shared`, { token }), status);
  }
  expectStatus(await app.post(path, { token: await app.make.token(reporter.user.id, ['read_api']), json }), 403);
  expectStatus(await app.post(path, { token: planner.token, json }), 201);
  // The group's label is not the project's to change.
  expectStatus(await app.put(`${path}/shared`, { token: maintainer.token, json: { color: 'red' } }), 403);
  expectStatus(await app.put(`${path}/shared`, { token: maintainer.token, json: { priority: 1 } }), 200);
  expectStatus(await app.delete(`${path}/shared`, { token: maintainer.token }), 403);
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(`${path}/bug`, { token: reporter.token, headers }), 412);
  expectStatus(await app.delete(`${path}/bug`, { token: reporter.token }), 204);
  const { user, token } = await app.make.user();
  await app.make.member({ group }, user, 15);
  expectStatus(await app.delete(`${path}/shared`, { token }), 204);
  expectStatus(await app.post(groupLabels(group), { token, json: { ...json, name: 'planned' } }), 201);
});

test('labels of what is hidden, closed or archived are kept', async () => {
  const { token } = await app.make.user();
  const hidden = await app.make.project();
  const json = { name: 'x', color: 'red' };
  expectStatus(await app.get(labelsOf(hidden), { token }), 404);
  expectStatus(await app.get(labelsOf(hidden), { token: null }), 404);
  expectStatus(await app.post(labelsOf(hidden), { token, json }), 404);
  expectStatus(await app.get(groupLabels(await app.make.group()), { token }), 404);
  const closed = await app.make.project({
    visibility: 'public',
    columns: { issues_access_level: 'disabled', merge_requests_access_level: 'private' },
  });
  expectStatus(await app.get(labelsOf(closed), { token }), 403);
  expectStatus(await app.get(labelsOf(closed), { token: null }), 404);
  const archived = await app.make.project({ columns: { archived: 1 } });
  expectStatus(await app.post(labelsOf(archived), { json }), 403);
});
