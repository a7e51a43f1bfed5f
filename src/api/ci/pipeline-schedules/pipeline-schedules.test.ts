import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { advanceSchedule } from '../../../pipelines/creation/schedules.ts';

interface Schedule {
  id: number;
  ref: string;
  active: boolean;
  next_run_at: string | null;
  owner: { id: number } | null;
  inputs?: { name: string; value: unknown }[];
  variables?: { key: string; value: string }[];
  last_pipeline?: { id: number } | null;
  message?: string;
  errors?: Record<string, string[]>;
}

const clock = new TestClock();
let app: TestApp;
let project: Project;
let people: Record<'guest' | 'planner' | 'reporter' | 'developer' | 'maintainer' | 'owner' | 'stranger', TestUser>;
let path: string;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

async function start(visibility: 'private' | 'public' = 'private') {
  project = await app.make.project({ visibility });
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { a: '1' });
  git.run(['branch', 'both', sha]);
  git.run(['tag', 'both', sha]);
  git.run(['tag', 'v1', sha]);
  people = await app.make.members(project);
  path = `/projects/${project.id}/pipeline_schedules`;
}

const NIGHTLY = { description: 'Nightly', ref: 'main', cron: '0 4 * * *' };
const make = async (json: object = {}, token = people.developer.token) =>
  expectStatus<Schedule>(await app.post(path, { token, json: { ...NIGHTLY, ...json } }), 201);
const refused = async (method: 'POST' | 'PUT', to: string, json: object) =>
  expectStatus<Schedule>(await app.request(method, to, { json }), 400).errors;

test('a schedule is made, listed, read, changed and deleted', async () => {
  await start();
  const { token, user } = people.developer;
  const made = await make({ cron_timezone: 'Eastern Time (US & Canada)', inputs: [{ name: 'where', value: ['a'] }] });
  const { id, owner, ...rest } = made;
  assert.equal(owner?.id, user.id);
  const now = '2026-06-15T12:00:00.000Z';
  assert.deepEqual(rest, {
    ...NIGHTLY,
    ref: 'refs/heads/main',
    cron_timezone: 'Eastern Time (US & Canada)',
    next_run_at: '2026-06-16T08:00:00.000Z',
    active: true,
    created_at: now,
    updated_at: now,
    inputs: [{ name: 'where', value: ['a'] }],
    last_pipeline: null,
    variables: [],
  });
  const { last_pipeline: _last, variables: _variables, ...listed } = made;
  assert.deepEqual(expectStatus(await app.get(path, { token }), 200), [listed]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${id}`, { token }), 200), made);
  clock.advance(1_000);
  const changed = expectStatus<Schedule>(
    await app.put(`${path}/${id}`, {
      token,
      json: { cron: '30 1 * * *', cron_timezone: 'UTC', ref: 'v1', description: 'New' },
    }),
    200,
  );
  assert.equal(changed.ref, 'refs/tags/v1');
  assert.equal(changed.next_run_at, '2026-06-16T01:30:00.000Z');
  expectStatus(await app.put(`${path}/${id}`, { token, json: { active: false } }), 200);
  assert.deepEqual(expectStatus(await app.get(path, { query: { scope: 'active' } }), 200), []);
  assert.equal(expectStatus<Schedule[]>(await app.get(path, { query: { scope: 'inactive' } }), 200).length, 1);
  expectStatus(await app.delete(`${path}/${id}`, { token }), 204);
  assert.equal(expectStatus<Schedule>(await app.get(`${path}/${id}`), 404).message, '404 Pipeline Schedule Not Found');
});

test('what is no schedule is refused with what is wrong', async () => {
  await start();
  const errors = (json: object) => refused('POST', path, { ...NIGHTLY, ...json });
  assert.deepEqual(await errors({ cron: '0 0 31 2 *' }), { cron: ['syntax is invalid'] });
  assert.deepEqual(await errors({ cron: 'tomorrow', cron_timezone: 'Mars' }), {
    cron: ['syntax is invalid'],
    cron_timezone: ['syntax is invalid'],
  });
  assert.deepEqual(await errors({ ref: 'both' }), { ref: ['is ambiguous'] });
  assert.deepEqual(await errors({ ref: ' ', description: ' ' }), {
    description: ["can't be blank"],
    ref: ["can't be blank"],
  });
  const inputs = Array.from({ length: 21 }, (_, n) => ({ name: `i${n}`, value: n }));
  assert.deepEqual(await errors({ inputs }), { base: ['There cannot be more than 20 inputs'] });
  assert.match((await errors({ inputs: [{ name: 'a', value: { b: 1 } }] }))?.inputs?.[0] ?? '', /^a must be a string/);
  for (const name of ['description', 'ref', 'cron']) {
    const response = expectStatus<Schedule>(await app.post(path, { json: { ...NIGHTLY, [name]: undefined } }), 400);
    assert.equal(response.message, `${name} is missing`);
  }
  for (const ref of ['../x', 'refs/heads/a..b', 'x'.repeat(2_000)])
    assert.deepEqual(await errors({ ref }), { ref: ['is invalid'] });
  expectStatus(await app.post(path, { json: { ...NIGHTLY, inputs: [{ name: 'a', value: ['x\0'] }] } }), 400);
  const { id } = await make({ ref: 'refs/heads/both' });
  assert.deepEqual(await refused('PUT', `${path}/${id}`, { cron: '' }), { cron: ['syntax is invalid'] });
});

test('inputs are added, changed and taken away one by one', async () => {
  await start();
  const { id } = await make({
    inputs: [
      { name: 'a', value: 1 },
      { name: 'b', value: 'x' },
    ],
  });
  const json = {
    inputs: [
      { name: 'a', value: 2 },
      { name: 'b', destroy: true },
      { name: 'c', value: true },
    ],
  };
  const { inputs } = expectStatus<Schedule>(await app.put(`${path}/${id}`, { json }), 200);
  assert.deepEqual(inputs, [
    { name: 'a', value: 2 },
    { name: 'c', value: true },
  ]);
});

test('a project has ten schedules at most', async () => {
  await start();
  for (let n = 0; n < 10; n += 1) await make();
  assert.deepEqual(await refused('POST', path, NIGHTLY), {
    base: ['Maximum number of ci pipeline schedules (10) exceeded'],
  });
});

test('variables of a schedule', async () => {
  await start();
  const { token } = people.developer;
  const { id } = await make();
  const variables = `${path}/${id}/variables`;
  const shown = { key: 'A', value: 'one', variable_type: 'env_var', raw: false };
  assert.deepEqual(expectStatus(await app.post(variables, { token, json: { key: 'A', value: 'one' } }), 201), shown);
  assert.deepEqual(expectStatus(await app.get(`${variables}/A`, { token }), 200), shown);
  assert.deepEqual(expectStatus<Schedule>(await app.get(`${path}/${id}`, { token }), 200).variables, [shown]);
  assert.deepEqual(await refused('POST', variables, { key: 'A', value: '' }), { key: ['has already been taken'] });
  assert.deepEqual(await refused('POST', variables, { key: 'A-', value: '' }), {
    key: ["can contain only letters, digits and '_'."],
  });
  const changed = await app.put(`${variables}/A`, { token, json: { value: 'two', variable_type: 'file' } });
  assert.deepEqual(expectStatus(changed, 200), { ...shown, value: 'two', variable_type: 'file' });
  assert.equal(expectStatus<Schedule>(await app.delete(`${variables}/A`, { token }), 202).id, undefined);
  const gone = expectStatus<Schedule>(await app.get(`${variables}/A`, { token }), 404);
  assert.equal(gone.message, '404 Pipeline Schedule Variable Not Found');
  expectStatus(await app.delete(`${variables}/A`, { token }), 404);
  expectStatus(await app.put(`${variables}/A`, { token, json: {} }), 404);
});

test('who sees, makes and changes schedules', async () => {
  await start();
  const { id } = await make({ inputs: [{ name: 'a', value: 1 }] });
  await app.post(`${path}/${id}/variables`, { json: { key: 'SECRET', value: 'x' } });
  const statuses = async (method: 'GET' | 'POST' | 'PUT', to: string, json?: object) => {
    const statusByRole: Record<string, number> = {};
    for (const [role, { token }] of Object.entries(people)) {
      statusByRole[role] = (
        await app.request(method, to, { token, ...(json === undefined ? {} : { json }) })
      ).statusCode;
    }
    return Object.values(statusByRole).join(' ');
  };
  // Guest, Planner, Reporter, Developer (its owner), Maintainer, Owner, a stranger.
  assert.equal(await statuses('GET', path), '403 403 200 200 200 200 404');
  assert.equal(await statuses('GET', `${path}/${id}`), '403 403 200 200 200 200 404');
  assert.equal(await statuses('GET', `${path}/${id}/variables/SECRET`), '403 403 403 200 200 200 404');
  assert.equal(await statuses('GET', `${path}/${id}/pipelines`), '403 403 200 200 200 200 404');
  assert.equal(await statuses('POST', path, NIGHTLY), '403 403 403 201 201 201 404');
  assert.equal(await statuses('PUT', `${path}/${id}`, { description: 'x' }), '403 403 403 200 200 200 404');
  assert.equal(await statuses('POST', `${path}/${id}/take_ownership`), '403 403 403 403 201 201 404');
  assert.equal((await app.get(path, { token: null })).statusCode, 401);
  const reader = expectStatus<Schedule>(await app.get(`${path}/${id}`, { token: people.reporter.token }), 200);
  assert.deepEqual([reader.variables, reader.inputs], [undefined, undefined]);
  // It has another owner by now.
  expectStatus(await app.put(`${path}/${id}`, { token: people.developer.token, json: {} }), 403);
  expectStatus(await app.delete(`${path}/${id}`, { token: people.developer.token }), 403);
});

test('on a protected branch schedules are for those who may push or merge there', async () => {
  await start();
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'main' } }), 201);
  const { token } = people.developer;
  const response = expectStatus<Schedule>(await app.post(path, { token, json: NIGHTLY }), 400);
  assert.deepEqual(response.errors, { base: ['The current user is not authorized to create the pipeline schedule'] });
  const own = await make({ ref: 'refs/heads/both' });
  const moved = expectStatus<Schedule>(await app.put(`${path}/${own.id}`, { token, json: { ref: 'main' } }), 400);
  assert.deepEqual(moved.errors, { base: ['The current user is not authorized to update the pipeline schedule'] });
  expectStatus(await app.post(path, { token: people.maintainer.token, json: NIGHTLY }), 201);
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'both' } }), 201);
  expectStatus(await app.put(`${path}/${own.id}`, { token, json: { description: 'x' } }), 403);
  expectStatus(await app.post(`${path}/${own.id}/variables`, { token, json: { key: 'A', value: '' } }), 403);
  expectStatus(await app.delete(`${path}/${own.id}`, { token }), 204);
});

test('variables are kept from those whom the project keeps from setting them', async () => {
  await start();
  const { id } = await make();
  expectStatus(
    await app.put(`/projects/${project.id}`, { json: { ci_pipeline_variables_minimum_override_role: 'maintainer' } }),
    200,
  );
  const json = { key: 'A', value: 'x' };
  const response = await app.post(`${path}/${id}/variables`, { token: people.developer.token, json });
  assert.equal(
    expectStatus<Schedule>(response, 403).message,
    '403 Forbidden - Insufficient permissions to set pipeline variables',
  );
  expectStatus(await app.post(`${path}/${id}/variables`, { token: people.maintainer.token, json }), 201);
});

test('a schedule stands still once its owner is blocked or gone, and runs for nobody else', async () => {
  await start();
  for (const leave of ['block', 'ban', 'delete'] as const) {
    const leaving = await app.make.user();
    await app.make.member({ project }, leaving.user, 30);
    const { id } = await make({}, leaving.token);
    if (leave === 'delete') {
      await app.delete(`/users/${leaving.user.id}`);
      await app.drain();
    } else expectStatus(await app.post(`/users/${leaving.user.id}/${leave}`), 201);
    const stopped = expectStatus<Schedule>(await app.get(`${path}/${id}`), 200);
    assert.equal(stopped.active, false, leave);
    if (leave === 'delete') assert.equal(stopped.owner, null);
    assert.deepEqual(await refused('PUT', `${path}/${id}`, { active: true }), {
      owner: ['is deleted or blocked: take ownership of the schedule first'],
    });
    expectStatus(await app.post(`${path}/${id}/take_ownership`, { token: people.maintainer.token }), 201);
    const mine = expectStatus<Schedule>(await app.put(`${path}/${id}`, { json: { active: true } }), 200);
    assert.equal(mine.owner?.id, people.maintainer.user.id);
    assert.ok(mine.next_run_at! > clock.now().toISOString());
  }
});

test('a schedule that is due is run by one process, and next at its next time', async () => {
  await start();
  const { id } = await make();
  const { db } = app.deps;
  clock.advance(3 * 86_400_000);
  const due = await db.selectFrom('ci_pipeline_schedules').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const firsts = await Promise.all([1, 2, 3].map(() => advanceSchedule(app.deps, db, due)));
  assert.deepEqual(firsts.sort(), [false, false, true]);
  const { next_run_at } = expectStatus<Schedule>(await app.get(`${path}/${id}`), 200);
  assert.equal(next_run_at, '2026-06-19T04:00:00.000Z');
});

test('the pipelines of a schedule are listed, the oldest first', async () => {
  await start();
  const { id } = await make();
  const at = { created_at: '2026-06-15T12:00:00.000Z', updated_at: '2026-06-15T12:00:00.000Z' };
  const row = { project_id: project.id, sha: 'a'.repeat(40), ref: 'main', source: 'schedule', user_id: 1, ...at };
  const { db } = app.deps;
  await db
    .insertInto('pipelines')
    .values({ ...row, iid: 1, status: 'success', schedule_id: id })
    .execute();
  await db
    .insertInto('pipelines')
    .values({ ...row, iid: 2, status: 'running', schedule_id: id })
    .execute();
  await db
    .insertInto('pipelines')
    .values({ ...row, iid: 3, status: 'running' })
    .execute();
  const iids = async (query = {}) =>
    expectStatus<{ iid: number }[]>(await app.get(`${path}/${id}/pipelines`, { query }), 200).map(({ iid }) => iid);
  assert.deepEqual(await iids(), [1, 2]);
  assert.deepEqual(await iids({ sort: 'desc' }), [2, 1]);
  assert.deepEqual(await iids({ status: 'running' }), [2]);
  assert.notEqual(expectStatus<Schedule>(await app.get(`${path}/${id}`), 200).last_pipeline, null);
});

test('a schedule is played in the name of who plays it, once a minute', async () => {
  await start();
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': 'test:\n  script: echo\n' });
  const { id, next_run_at } = await make();
  await app.post(`${path}/${id}/variables`, { json: { key: 'WHERE', value: 'staging' } });
  const { token, user } = people.maintainer;
  const played = expectStatus<Schedule>(await app.post(`${path}/${id}/play`, { token }), 201);
  assert.equal(played.message, '201 Created');
  const [made] = expectStatus<{ id: number; source: string }[]>(await app.get(`${path}/${id}/pipelines`), 200);
  assert.equal(made?.source, 'schedule');
  const row = await app.deps.db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', '=', made!.id)
    .executeTakeFirstOrThrow();
  assert.equal(row.user_id, user.id);
  const variables = `/projects/${project.id}/pipelines/${row.id}/variables`;
  assert.deepEqual(
    expectStatus<{ key: string }[]>(await app.get(variables), 200).map(({ key }) => key),
    ['WHERE'],
  );
  expectStatus(await app.post(`${path}/${id}/play`, { token }), 429);
  clock.advance(61_000);
  expectStatus(await app.post(`${path}/${id}/play`, { token }), 201);
  expectStatus(await app.post(`${path}/${id}/play`, { token: people.reporter.token }), 403);
  assert.equal(expectStatus<Schedule>(await app.get(`${path}/${id}`), 200).next_run_at, next_run_at);
});
