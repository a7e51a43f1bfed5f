import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  buildTestApp,
  expectStatus,
  type RequestOptions,
  type TestApp,
  TestClock,
} from '../../../../test/support/app.ts';
import type { Milestone } from './milestones.responses.ts';

const DAY_MS = 86_400_000;
let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

type Json = Record<string, unknown>;
const milestonesOf = (project: { id: number }) => `/projects/${project.id}/milestones`;
const groupMilestones = (group: { id: number }) => `/groups/${group.id}/milestones`;
const create = async (path: string, json: object, options: RequestOptions = {}) =>
  expectStatus<Milestone>(await app.post(path, { ...options, json }), 201);
const titles = async (path: string, query: NonNullable<RequestOptions['query']> = {}, token?: string | null) =>
  expectStatus<Milestone[]>(await app.get(path, { query, ...(token === undefined ? {} : { token }) }), 200).map(
    ({ title }) => title,
  );
const message = (body: unknown) => (body as { message: string }).message;
const eventsOf = async (id: number) =>
  (await app.deps.db.selectFrom('domain_events').select(['type', 'payload']).orderBy('id').execute())
    .filter(({ type, payload }) => type.startsWith('milestone.') && JSON.parse(payload).milestone_id === id)
    .map(({ type }) => type);

test('a milestone of a project is made, read, changed, closed, reopened and removed', async () => {
  const project = await app.make.project();
  const path = milestonesOf(project);
  const json = { title: ' 1.0 ', description: 'First', start_date: '2026-06-01', due_date: '2026-06-14' };
  const made = await create(path, json);
  const now = clock.now().toISOString();
  assert.deepEqual(made, {
    id: made.id,
    iid: 1,
    project_id: project.id,
    title: '1.0',
    description: 'First',
    state: 'active',
    created_at: now,
    updated_at: now,
    due_date: '2026-06-14',
    start_date: '2026-06-01',
    expired: true,
    web_url: `${app.deps.externalUrl()}/${project.full_path}/-/milestones/1`,
  });
  assert.deepEqual(expectStatus(await app.get(`${path}/${made.id}`), 200), made);
  clock.advance(1_000);
  const put = async (change: object) =>
    expectStatus<Milestone>(await app.put(`${path}/${made.id}`, { json: change }), 200);
  const changed = await put({ title: '1.1', description: '', due_date: '2026-06-15', start_date: null });
  assert.deepEqual(
    [changed.title, changed.description, changed.due_date, changed.start_date, changed.expired, changed.updated_at],
    ['1.1', '', '2026-06-15', null, false, clock.now().toISOString()],
  );
  assert.equal((await put({ due_date: '' })).due_date, null);
  assert.equal((await put({ state_event: 'close' })).state, 'closed');
  assert.equal((await put({ state_event: 'close' })).state, 'closed');
  assert.equal((await put({ state_event: 'activate' })).state, 'active');
  expectStatus(await app.delete(`${path}/${made.id}`), 204);
  assert.equal(message(expectStatus(await app.get(`${path}/${made.id}`), 404)), '404 Not found');
  assert.deepEqual(await eventsOf(made.id), [
    'milestone.created',
    'milestone.updated',
    'milestone.updated',
    'milestone.closed',
    'milestone.reopened',
    'milestone.destroyed',
  ]);
  // Numbers are never given twice.
  assert.equal((await create(path, { title: '2.0' })).iid, 2);
});

test('a milestone of a group is made, read, changed and removed', async () => {
  const group = await app.make.group();
  const path = groupMilestones(group);
  const made = await create(path, { title: 'Autumn' });
  assert.equal(made.group_id, group.id);
  assert.equal('project_id' in made, false);
  assert.equal(made.web_url, `${app.deps.externalUrl()}/groups/${group.full_path}/-/milestones/1`);
  assert.equal(made.description, '');
  const project = await app.make.project({ namespace: group });
  expectStatus(await app.get(`${milestonesOf(project)}/${made.id}`), 404);
  const changed = expectStatus<Milestone>(await app.put(`${path}/${made.id}`, { form: 'title=Winter' }), 200);
  assert.equal(changed.title, 'Winter');
  expectStatus(await app.delete(`${path}/${made.id}`), 204);
  for (const response of [
    await app.get(`${path}/${made.id}`),
    await app.put(`${path}/${made.id}`, { json: { title: 'x' } }),
    await app.delete(`${path}/${made.id}`),
  ]) {
    assert.equal(message(expectStatus(response, 404)), '404 Not found');
  }
});

test('milestones that do not validate are refused', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const path = milestonesOf(project);
  const refusal = async (json: object, method: 'post' | 'put' = 'post', at = path) =>
    message(expectStatus(await app[method](at, { json }), 400));
  const taken = 'already being used for another group or project milestone.';
  const first = await create(path, { title: 'One' });
  await create(groupMilestones(group), { title: 'Above' });
  const create_ = 'Failed to create milestone';
  assert.equal(await refusal({}), 'title is missing');
  assert.equal(await refusal({ title: ' ' }), `${create_} {:title=>["can't be blank"]}`);
  const long = `${create_} {:title=>["is too long (maximum is 255 characters)"]}`;
  assert.equal(await refusal({ title: 'a'.repeat(256) }), long);
  assert.equal(await refusal({ title: 'One' }), `${create_} {:title=>["${taken}"]}`);
  assert.equal(await refusal({ title: 'Above' }), `${create_} {:title=>["${taken}"]}`);
  assert.equal(await refusal({ title: 'One' }, 'post', groupMilestones(group)), `${create_} {:title=>["${taken}"]}`);
  const dates = { start_date: '2026-02-02', due_date: '2026-02-01' };
  assert.equal(await refusal({ title: 'x', ...dates }), `${create_} {:due_date=>["must be greater than start date"]}`);
  assert.equal(await refusal({ title: 'x', due_date: 'soon' }), 'due_date is invalid');
  assert.equal(await refusal({ title: 'x', due_date: '2026-02-30' }), 'due_date is invalid');
  const at = `${path}/${first.id}`;
  assert.equal(await refusal({ title: 'Above' }, 'put', at), `Failed to update milestone {:title=>["${taken}"]}`);
  const late = 'Failed to update milestone {:due_date=>["must be greater than start date"]}';
  assert.equal(await refusal(dates, 'put', at), late);
  assert.equal(await refusal({ state_event: 'open' }, 'put', at), 'state_event does not have a valid value');
  const nothing =
    'title, description, start_date, due_date, state_event are missing, at least one parameter must be provided';
  assert.equal(await refusal({}, 'put', at), nothing);
  // A day is enough for a milestone, and it keeps its own title.
  const same = { title: 'One', start_date: '2026-02-02', due_date: '2026-02-02' };
  expectStatus(await app.put(at, { json: same }), 200);
});

test('of two that take one title at once one is refused', async () => {
  const project = await app.make.project();
  const json = { title: 'Race' };
  const answers = await Promise.all([1, 2].map(() => app.post(milestonesOf(project), { json })));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400]);
});

test('lists are filtered and ordered by the due date', async () => {
  const project = await app.make.project();
  const path = milestonesOf(project);
  const make = (title: string, rest: object = {}) => create(path, { title, ...rest });
  await make('late', { start_date: '2026-05-01', due_date: '2026-05-31', description: 'the 50% one' });
  await make('never');
  await make('early', { due_date: '2026-03-01' });
  clock.advance(DAY_MS);
  const since = clock.now().toISOString();
  const closed = await make('closed', { start_date: '2026-08-01' });
  expectStatus(await app.put(`${path}/${closed.id}`, { json: { state_event: 'close' } }), 200);
  assert.deepEqual(await titles(path), ['early', 'late', 'closed', 'never']);
  assert.deepEqual(await titles(path, { state: 'active' }), ['early', 'late', 'never']);
  assert.deepEqual(await titles(path, { state: 'closed' }), ['closed']);
  assert.deepEqual(await titles(path, { state: 'all', per_page: 1, page: 2 }), ['late']);
  assert.deepEqual(await titles(path, { 'iids[]': ['1', '2'] }), ['late', 'never']);
  assert.deepEqual(await titles(path, { iids: '1,3' }), ['early', 'late']);
  assert.deepEqual(await titles(path, { title: 'late' }), ['late']);
  assert.deepEqual(await titles(path, { title: 'LATE' }), []);
  assert.deepEqual(await titles(path, { search: '0%' }), ['late']);
  assert.deepEqual(await titles(path, { search: 'LY' }), ['early']);
  assert.deepEqual(await titles(path, { search_title: 'te la' }), ['late']);
  assert.deepEqual(await titles(path, { search_title: '50%' }), []);
  assert.deepEqual(await titles(path, { updated_after: since }), ['closed']);
  assert.deepEqual(await titles(path, { updated_before: '2026-06-15T23:00:00Z' }), ['early', 'late', 'never']);
  assert.deepEqual(await titles(path, { containing_date: '2026-05-31' }), ['late']);
  assert.deepEqual(await titles(path, { containing_date: '2026-02-01T10:00:00Z' }), ['early']);
  assert.deepEqual(await titles(path, { start_date: '2026-05-10', end_date: '2026-09-01' }), ['late', 'closed']);
  const list = await app.get(path, { query: { per_page: 2 } });
  assert.equal(list.headers['x-total'], '4');
  assert.equal(
    message(expectStatus(await app.get(path, { query: { state: 'x' } }), 400)),
    'state does not have a valid value',
  );
  const both = { include_ancestors: true, include_parent_milestones: true };
  expectStatus(await app.get(path, { query: both }), 400);
});

test('lists include ancestors and descendants when they are asked to, as far as the caller sees them', async () => {
  const top = await app.make.group({ visibility: 'public' });
  const sub = await app.make.group({ parent: top });
  const hidden = await app.make.project({ namespace: sub });
  const open = await app.make.project({ namespace: top, visibility: 'public' });
  const closed = await app.make.project({
    namespace: top,
    visibility: 'public',
    columns: { issues_access_level: 'private', merge_requests_access_level: 'private' },
  });
  await create(groupMilestones(top), { title: 'top' });
  await create(groupMilestones(sub), { title: 'sub' });
  await create(milestonesOf(hidden), { title: 'hidden' });
  await create(milestonesOf(open), { title: 'open' });
  await create(milestonesOf(closed), { title: 'closed' });
  const sorted = async (...args: Parameters<typeof titles>) => (await titles(...args)).sort();
  assert.deepEqual(await sorted(milestonesOf(hidden)), ['hidden']);
  assert.deepEqual(await sorted(milestonesOf(hidden), { include_ancestors: true }), ['hidden', 'sub', 'top']);
  assert.deepEqual(await sorted(milestonesOf(hidden), { include_parent_milestones: true, 'iids[]': '99' }), [
    'hidden',
    'sub',
    'top',
  ]);
  assert.deepEqual(await sorted(groupMilestones(sub), { include_ancestors: true }), ['sub', 'top']);
  const below = { include_descendants: true };
  assert.deepEqual(await sorted(groupMilestones(top), below), ['closed', 'hidden', 'open', 'sub', 'top']);
  const { token } = await app.make.user();
  assert.deepEqual(await sorted(groupMilestones(top), below, token), ['open', 'top']);
  assert.deepEqual(await sorted(groupMilestones(top), below, null), ['open', 'top']);
  const member = await app.make.user();
  await app.make.member({ project: hidden }, member.user, 10);
  assert.deepEqual(await sorted(groupMilestones(top), below, member.token), ['hidden', 'open', 'sub', 'top']);
  const paths = expectStatus<Milestone[]>(
    await app.get(milestonesOf(hidden), { query: { include_ancestors: true } }),
    200,
  );
  const owner = app.deps.externalUrl();
  assert.deepEqual(paths.map(({ web_url }) => web_url).sort(), [
    `${owner}/${hidden.full_path}/-/milestones/1`,
    `${owner}/groups/${top.full_path}/-/milestones/1`,
    `${owner}/groups/${sub.full_path}/-/milestones/1`,
  ]);
});

test('promotion makes one milestone of the group out of all of that title', async () => {
  const group = await app.make.group();
  const [one, two] = [await app.make.project({ namespace: group }), await app.make.project({ namespace: group })];
  const first = await create(milestonesOf(one), { title: '1.0', description: 'kept', due_date: '2026-09-01' });
  // The second project came into the group with a milestone of the same title.
  const second = await create(milestonesOf(two), { title: '2.0' });
  await app.deps.db.updateTable('milestones').set({ title: '1.0' }).where('id', '=', second.id).execute();
  const promoted = expectStatus<Milestone>(await app.post(`${milestonesOf(one)}/${first.id}/promote`), 200);
  assert.equal(promoted.group_id, group.id);
  assert.deepEqual([promoted.title, promoted.description, promoted.due_date], ['1.0', 'kept', '2026-09-01']);
  expectStatus(await app.get(`${milestonesOf(one)}/${first.id}`), 404);
  expectStatus(await app.get(`${milestonesOf(two)}/${second.id}`), 404);
  assert.deepEqual(await titles(groupMilestones(group)), ['1.0']);
  expectStatus(await app.post(`${milestonesOf(one)}/${promoted.id}/promote`), 404);
  const again = await create(milestonesOf(one), { title: '3.0' });
  await app.deps.db.updateTable('milestones').set({ title: '1.0' }).where('id', '=', again.id).execute();
  assert.match(
    message(expectStatus(await app.post(`${milestonesOf(one)}/${again.id}/promote`), 400)),
    /^Failed to create milestone \{:title=>\["already being used/,
  );
  const personal = await app.make.project();
  const lone = await create(milestonesOf(personal), { title: 'x' });
  const none = expectStatus(await app.post(`${milestonesOf(personal)}/${lone.id}/promote`), 400);
  assert.equal(message(none), 'Project does not belong to a group.');
  const { maintainer } = await app.make.members(one);
  const own = await create(milestonesOf(one), { title: 'own' });
  expectStatus(await app.post(`${milestonesOf(one)}/${own.id}/promote`, { token: maintainer.token }), 403);
});

test('everybody who sees a project reads its milestones, Planners write them', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const path = milestonesOf(project);
  const made = await create(path, { title: 'x' });
  const { stranger, guest, planner, reporter } = await app.make.members(project);
  for (const token of [null, stranger.token, guest.token]) {
    const status = token === null ? 401 : 403;
    expectStatus(await app.get(path, { token }), 200);
    expectStatus(await app.get(`${path}/${made.id}`, { token }), 200);
    expectStatus(await app.post(path, { token, json: { title: 'y' } }), status);
    expectStatus(await app.put(`${path}/${made.id}`, { token, json: { title: 'y' } }), status);
    expectStatus(await app.delete(`${path}/${made.id}`, { token }), status);
    expectStatus(await app.post(`${path}/${made.id}/promote`, { token }), status);
  }
  expectStatus(
    await app.post(path, { token: await app.make.token(reporter.user.id, ['read_api']), json: { title: 'y' } }),
    403,
  );
  await create(path, { title: 'p' }, { token: planner.token });
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(`${path}/${made.id}`, { token: reporter.token, headers }), 412);
  expectStatus(await app.delete(`${path}/${made.id}`, { token: reporter.token }), 204);
});

test('milestones of what is hidden, closed or archived are kept', async () => {
  const { token } = await app.make.user();
  const hidden = await app.make.project();
  expectStatus(await app.get(milestonesOf(hidden), { token }), 404);
  expectStatus(await app.post(milestonesOf(hidden), { token, json: { title: 'x' } }), 404);
  expectStatus(await app.get(milestonesOf(hidden), { token: null }), 404);
  expectStatus(await app.get(groupMilestones(await app.make.group()), { token }), 404);
  const closed = await app.make.project({
    visibility: 'public',
    columns: { issues_access_level: 'disabled', merge_requests_access_level: 'private' },
  });
  expectStatus(await app.get(milestonesOf(closed), { token }), 403);
  expectStatus(await app.get(milestonesOf(closed), { token: null }), 404);
  const { guest, reporter, owner } = await app.make.members(closed);
  // Merge requests that are for members are for Reporters: a Guest has nothing here that a milestone could be for.
  expectStatus(await app.get(milestonesOf(closed), { token: guest.token }), 403);
  expectStatus(await app.get(milestonesOf(closed), { token: reporter.token }), 200);
  const archived = await app.make.project({ columns: { archived: 1 } });
  expectStatus(await app.post(milestonesOf(archived), { json: { title: 'x' } }), 403);
  expectStatus(await app.post(milestonesOf(closed), { token: owner.token, json: { title: 'x' } }), 201);
});

test('Planners of a group write its milestones', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const path = groupMilestones(group);
  const [guest, planner] = [await app.make.user(), await app.make.user()];
  await app.make.member({ group }, guest.user, 10);
  await app.make.member({ group }, planner.user, 15);
  const { id } = await create(path, { title: 'x' }, { token: planner.token });
  expectStatus<Json>(await app.get(`${path}/${id}`, { token: null }), 200);
  expectStatus(await app.post(path, { token: null, json: { title: 'y' } }), 401);
  expectStatus(await app.post(path, { token: guest.token, json: { title: 'y' } }), 403);
  expectStatus(await app.put(`${path}/${id}`, { token: guest.token, json: { title: 'y' } }), 403);
  expectStatus(await app.delete(`${path}/${id}`, { token: guest.token }), 403);
  expectStatus(await app.delete(`${path}/${id}`, { token: planner.token }), 204);
});
