import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { type MadeJob, makePipeline } from '../../../../test/support/pipelines.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { protectDefaultBranch } from '../../../repositories/default-branch.ts';

type Row = Record<string, unknown>;
let app: TestApp;
let project: Project;
let people: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  people = await app.make.members(project);
});
after(() => app.close());

const make = async (jobs: readonly MadeJob[], of = project) =>
  (await makePipeline(app, of, { jobs, columns: { ref: 'work' } })).pipeline.id;

interface Options {
  token?: string | null;
  json?: Row;
  of?: Project;
  headers?: Record<string, string>;
}
const ask = (method: string, id: number, action = '', { of = project, ...options }: Options = {}) =>
  app.request(method, `/projects/${of.id}/pipelines/${id}${action}`, { token: people.developer.token, ...options });
const states = async (id: number) =>
  (
    await app.deps.db
      .selectFrom('ci_jobs')
      .select(['name', 'status', 'retried'])
      .where('pipeline_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ name, status, retried }) => `${name} ${status}${retried === 1 ? ' retried' : ''}`);

describe('POST /projects/:id/pipelines/:pipeline_id/retry and /cancel', () => {
  test('run what failed once more, and cancel what is not over', async () => {
    const id = await make([
      { name: 'a', status: 'success' },
      { name: 'b', status: 'failed' },
      { name: 'c', stage: 'deploy', status: 'skipped' },
    ]);
    const retried = expectStatus<Row>(await ask('POST', id, '/retry'), 201);
    assert.deepEqual([retried.id, retried.status], [id, 'running']);
    assert.deepEqual(await states(id), ['a success', 'b failed retried', 'c created', 'b pending']);
    const canceled = expectStatus<Row>(await ask('POST', id, '/cancel'), 200);
    assert.deepEqual([canceled.status, (canceled.detailed_status as Row).text], ['canceled', 'Canceled']);
    assert.deepEqual(await states(id), ['a success', 'b failed retried', 'c canceled', 'b canceled']);
    assert.equal(expectStatus<Row>(await ask('POST', id, '/cancel'), 200).status, 'canceled');
  });

  test('canceling is kept to those whom the project names', async () => {
    const settings = JSON.stringify({ ci_restrict_pipeline_cancellation_role: 'maintainer' });
    const of = await app.make.project({ columns: { settings } });
    const { developer, maintainer } = await app.make.members(of);
    const id = await make([{ name: 'a', status: 'pending' }], of);
    assert.equal((await ask('POST', id, '/cancel', { of, token: developer.token })).statusCode, 403);
    assert.equal((await ask('POST', id, '/cancel', { of, token: maintainer.token })).statusCode, 200);
  });
});

describe('PUT /projects/:id/pipelines/:pipeline_id/metadata', () => {
  test('names it', async () => {
    const id = await make([{ name: 'a' }]);
    const body = expectStatus<Row>(await ask('PUT', id, '/metadata', { json: { name: ' Release 1 ' } }), 200);
    assert.equal(body.name, 'Release 1');
    assert.equal(expectStatus<Row>(await ask('GET', id), 200).name, 'Release 1');
  });

  test('refuses names that are too long or empty', async () => {
    const id = await make([{ name: 'a' }]);
    const refusal = async (json: Row) => expectStatus<Row>(await ask('PUT', id, '/metadata', { json }), 400).message;
    assert.equal(
      await refusal({ name: 'x'.repeat(256) }),
      '400 Bad request - Failed to update pipeline - Name is too long (maximum is 255 characters)',
    );
    assert.match(String(await refusal({ name: '  ' })), /Name is too short/);
    assert.equal(await refusal({}), 'name is missing');
  });

  test('takes the token of a job', async () => {
    const token = 'glcbt-names-its-pipeline';
    const id = await make([{ name: 'a', status: 'running', columns: { token_digest: tokenDigest(token) } }]);
    const headers = { 'job-token': token };
    expectStatus(await ask('PUT', id, '/metadata', { token: null, headers, json: { name: 'By job' } }), 200);
    assert.equal((await ask('POST', id, '/cancel', { token: null, headers })).statusCode, 401);
  });
});

describe('DELETE /projects/:id/pipelines/:pipeline_id', () => {
  test('removes it with its jobs and child pipelines', async () => {
    const id = await make([{ name: 'a', status: 'running' }]);
    const child = await makePipeline(app, project, { columns: { parent_id: id, source: 'parent_pipeline' } });
    const { token } = people.owner;
    assert.equal((await ask('DELETE', id, '', { token })).statusCode, 204);
    assert.deepEqual(await states(id), []);
    assert.equal((await ask('GET', id)).statusCode, 404);
    assert.equal((await ask('GET', child.pipeline.id)).statusCode, 404);
    assert.equal((await ask('DELETE', id, '', { token })).statusCode, 404);
  });

  test('is for owners, and refused for what has changed', async () => {
    const id = await make([{ name: 'a' }]);
    assert.equal((await ask('DELETE', id, '', { token: people.maintainer.token })).statusCode, 403);
    const { token } = people.owner;
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' };
    assert.equal((await ask('DELETE', id, '', { token, headers })).statusCode, 412);
    assert.equal((await ask('GET', id)).statusCode, 200);
  });
});

describe('who may change pipelines', () => {
  const CALLS = [
    ['POST', '/retry', undefined],
    ['POST', '/cancel', undefined],
    ['PUT', '/metadata', { name: 'x' }],
    ['DELETE', '', undefined],
  ] as const;
  const call = ([method, path, json]: (typeof CALLS)[number], id: number, options: Options) =>
    ask(method, id, path, { ...options, ...(json === undefined ? {} : { json }) });

  test('nobody below Developer', async () => {
    const id = await make([{ name: 'a', status: 'pending' }]);
    for (const each of CALLS) {
      assert.equal((await call(each, id, { token: null })).statusCode, 401, each[1]);
      for (const name of ['stranger', 'guest', 'planner', 'reporter'] as const) {
        assert.equal((await call(each, id, { token: people[name].token })).statusCode, 403, `${name} ${each[1]}`);
      }
    }
    assert.deepEqual(await states(id), ['a pending']);
  });

  test('nobody who may not see it, nor in an archived project', async () => {
    const hidden = await app.make.project();
    const id = await make([{ name: 'a' }], hidden);
    const archived = await app.make.project({ columns: { archived: 1 } });
    const { owner } = await app.make.members(archived);
    const old = await make([{ name: 'a' }], archived);
    for (const each of CALLS) {
      assert.equal((await call(each, id, { token: people.owner.token, of: hidden })).statusCode, 404);
      assert.equal((await call(each, id, { token: people.owner.token })).statusCode, 404);
      assert.equal((await call(each, old, { token: owner.token, of: archived })).statusCode, 403);
    }
  });

  test('of a protected branch those whom its protection lets in', async () => {
    const of = await app.make.project();
    await protectDefaultBranch(app.deps, app.deps.db, of.id, 'main');
    const { developer, maintainer } = await app.make.members(of);
    const { pipeline } = await makePipeline(app, of, { jobs: [{ name: 'a', status: 'failed' }] });
    for (const each of CALLS.slice(0, 3)) {
      assert.equal((await call(each, pipeline.id, { of, token: developer.token })).statusCode, 403, each[1]);
      assert.ok((await call(each, pipeline.id, { of, token: maintainer.token })).statusCode < 300, each[1]);
    }
  });
});
