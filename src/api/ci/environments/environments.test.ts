import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import type { Deployment } from '../../../db/tables/deployments.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Environment {
  id: number;
  name: string;
  slug: string;
  tier: string;
  state: string;
  external_url: string | null;
  project?: { id: number };
  last_deployment?: { iid: number; deployable: { name: string } | null } | null;
  message?: string;
  errors?: Record<string, string[]>;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const pathOf = (project: Project) => `/projects/${project.id}/environments`;
const make = async (project: Project, json: object) =>
  expectStatus<Environment>(await app.post(pathOf(project), { json }), 201);

test('an environment is made, listed, read, changed, stopped and deleted', async () => {
  const project = await app.make.project();
  const path = pathOf(project);
  const made = await make(project, { name: 'review/One', external_url: 'https://one.example', description: 'First' });
  const { id, slug, project: shown, ...rest } = made;
  assert.match(slug, /^review-one-[a-z0-9]{6}$/);
  assert.equal(shown?.id, project.id);
  const now = '2026-06-15T12:00:00.000Z';
  assert.deepEqual(rest, {
    name: 'review/One',
    external_url: 'https://one.example',
    description: 'First',
    tier: 'development',
    state: 'available',
    auto_stop_at: null,
    auto_stop_setting: 'always',
    cluster_agent: null,
    kubernetes_namespace: null,
    flux_resource_path: null,
    created_at: now,
    updated_at: now,
  });
  const { project: _project, ...listed } = made;
  assert.deepEqual(expectStatus(await app.get(path), 200), [listed]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${id}`), 200), { ...made, last_deployment: null });
  const json = { tier: 'staging', external_url: '', auto_stop_setting: 'with_action' };
  const changed = expectStatus<Environment>(await app.put(`${path}/${id}`, { json }), 200);
  assert.deepEqual([changed.tier, changed.external_url, changed.name], ['staging', null, 'review/One']);
  assert.equal(expectStatus<Environment>(await app.delete(`${path}/${id}`), 403).message, '403 Forbidden');
  assert.equal(expectStatus<Environment>(await app.post(`${path}/${id}/stop`), 200).state, 'stopped');
  expectStatus(await app.delete(`${path}/${id}`), 204);
  assert.equal(expectStatus<Environment>(await app.get(`${path}/${id}`), 404).message, '404 Environment Not Found');
});

test('what is no environment is refused with what is wrong', async () => {
  const project = await app.make.project();
  await make(project, { name: 'taken' });
  const errors = async (json: object) =>
    expectStatus<Environment>(await app.post(pathOf(project), { json }), 400).errors;
  assert.deepEqual(await errors({ name: 'taken' }), { name: ['has already been taken'] });
  const words =
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
  for (const name of ['/x', 'x/', 'a,b', 'é']) assert.deepEqual(await errors({ name }), { name: [words] }, name);
  assert.deepEqual(await errors({ name: 'x'.repeat(256) }), { name: ['is too long (maximum is 255 characters)'] });
  assert.deepEqual(await errors({ name: 'a', external_url: 'javascript:alert(1)' }), {
    external_url: ['javascript scheme is not allowed'],
  });
  assert.deepEqual(await errors({ name: 'a', external_url: 'no address' }), { external_url: ['URI is invalid'] });
  const refused = async (json: object) =>
    expectStatus<Environment>(await app.post(pathOf(project), { json }), 400).message;
  assert.equal(await refused({ name: 'a', slug: 'b' }), 'slug is automatically generated and cannot be changed');
  assert.equal(await refused({}), 'name is missing');
  assert.equal(await refused({ name: 'a', tier: 'moon' }), 'tier does not have a valid value');
});

test('environments are found by name, text and state', async () => {
  const project = await app.make.project();
  const path = pathOf(project);
  await make(project, { name: 'review/one' });
  const two = await make(project, { name: 'review/two' });
  await make(project, { name: 'production' });
  await app.post(`${path}/${two.id}/stop`);
  const names = async (query: Record<string, string>) =>
    expectStatus<Environment[]>(await app.get(path, { query }), 200).map(({ name }) => name);
  assert.deepEqual(await names({ name: 'production' }), ['production']);
  assert.deepEqual(await names({ search: 'view' }), ['review/one', 'review/two']);
  assert.deepEqual(await names({ states: 'stopped' }), ['review/two']);
  const message = async (query: Record<string, string>) =>
    expectStatus<Environment>(await app.get(path, { query }), 400).message;
  assert.equal(await message({ search: 'ab' }), '400 Bad request - Search query is less than 3 characters');
  assert.equal(await message({ search: 'abc', name: 'x' }), 'name, search cannot be used together');
  assert.equal(await message({ states: 'gone' }), 'states does not have a valid value');
});

/** An environment that a pipeline has deployed to, with a stop job. */
async function deployed(project: Project, name = 'production') {
  const environment = await make(project, { name });
  const { jobs, pipeline } = await makePipeline(app, project, {
    jobs: [
      { name: 'deploy', status: 'success', columns: { environment: name } },
      { name: 'stop', status: 'manual', when: 'manual', allowFailure: true, columns: { environment: name } },
    ],
  });
  const columns = {
    project_id: project.id,
    environment_id: environment.id,
    ref: 'main',
    sha: pipeline.sha,
    status: 'success' as Deployment['status'],
    job_id: jobs.deploy!.id,
    on_stop: 'stop',
    user_id: 1,
    created_at: clock.now().toISOString(),
    updated_at: clock.now().toISOString(),
  };
  await app.deps.db
    .insertInto('deployments')
    .values({ ...columns, iid: 1 })
    .execute();
  return { environment, jobs };
}

test('the job that stops an environment is run, unless it is to be stopped without', async () => {
  const project = await app.make.project();
  const { environment, jobs } = await deployed(project);
  const path = `${pathOf(project)}/${environment.id}`;
  const shown = expectStatus<Environment>(await app.get(path), 200);
  assert.equal(shown.last_deployment?.deployable?.name, 'deploy');
  assert.equal(expectStatus<Environment>(await app.post(`${path}/stop`), 200).state, 'stopping');
  const job = await app.deps.db
    .selectFrom('ci_jobs')
    .select('status')
    .where('id', '=', jobs.stop!.id)
    .executeTakeFirst();
  assert.equal(job?.status, 'pending');
  const json = { force: true };
  assert.equal(expectStatus<Environment>(await app.post(`${path}/stop`, { json }), 200).state, 'stopped');
});

test('environments of projects are for their people', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const people = await app.make.members(project);
  const { environment } = await deployed(project);
  const path = pathOf(project);
  const statuses = async (method: string, to: string, json?: object) => {
    const statusCodes: number[] = [];
    for (const { token } of Object.values(people)) {
      statusCodes.push((await app.request(method, to, { token, ...(json === undefined ? {} : { json }) })).statusCode);
    }
    return statusCodes.join(' ');
  };
  // Guest, Planner, Reporter, Developer, Maintainer, Owner, a stranger.
  assert.equal(await statuses('GET', path), '200 200 200 200 200 200 200');
  assert.equal(await statuses('PUT', `${path}/${environment.id}`, {}), '403 403 403 200 200 200 403');
  assert.equal(await statuses('POST', `${path}/stop_stale`, { before: '2026-01-01' }), '403 403 403 200 200 200 403');
  assert.equal(await statuses('DELETE', `${path}/review_apps`), '403 403 403 202 202 202 403');
  expectStatus(await app.get(path, { token: null }), 401);
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'main' } }), 201);
  expectStatus(await app.post(`${path}/${environment.id}/stop`, { token: people.developer.token }), 403);
  expectStatus(await app.post(`${path}/${environment.id}/stop`, { token: people.maintainer.token }), 200);
});

test('review apps that are stopped and old are listed, and deleted where that is asked for', async () => {
  const project = await app.make.project();
  const path = pathOf(project);
  const old = await make(project, { name: 'review/old' });
  await make(project, { name: 'review/alive' });
  const other = await make(project, { name: 'staging' });
  for (const { id } of [old, other]) await app.post(`${path}/${id}/stop`);
  const removed = async (query: Record<string, string | boolean>) =>
    expectStatus<{ scheduled_entries: Environment[] }>(
      await app.delete(`${path}/review_apps`, { query }),
      202,
    ).scheduled_entries.map(({ name }) => name);
  assert.deepEqual(await removed({}), []);
  const before = new Date(clock.now().getTime() + 1_000).toISOString();
  assert.deepEqual(await removed({ before }), ['review/old']);
  expectStatus(await app.get(`${path}/${old.id}`), 200);
  assert.deepEqual(await removed({ before, dry_run: false }), ['review/old']);
  expectStatus(await app.get(`${path}/${old.id}`), 404);
  expectStatus(await app.delete(`${path}/review_apps`, { query: { limit: 1_001 } }), 400);
});

test('stale environments are told by an instant that is neither too near nor too far', async () => {
  const project = await app.make.project();
  for (const before of ['2026-06-14', '2010-01-01']) {
    const response = await app.post(`${pathOf(project)}/stop_stale`, { json: { before } });
    assert.equal(expectStatus<Environment>(response, 400).message, '400 Bad request - Invalid Date');
  }
});
