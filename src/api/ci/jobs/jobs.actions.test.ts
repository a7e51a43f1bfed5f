import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { type MadeJob, makePipeline } from '../../../../test/support/pipelines.ts';
import type { State } from '../../../ci/states.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { inputsOf } from '../../../pipelines/runners/job-inputs.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';
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

const make = (jobs: readonly MadeJob[], of = project) => makePipeline(app, of, { jobs, columns: { ref: 'work' } });
const makeJob = async (status: State, job: Partial<MadeJob> = {}, of = project) => {
  const { jobs } = await make([{ name: 'job', status, ...job }], of);
  return jobs.job!;
};
const act = (action: string, id: number, options: { token?: string | null; json?: Row; of?: Project } = {}) =>
  app.post(`/projects/${(options.of ?? project).id}/jobs/${id}/${action}`, {
    token: options.token === undefined ? people.developer.token : options.token,
    ...(options.json === undefined ? {} : { json: options.json }),
  });
const stateOf = async (id: number) =>
  (await app.deps.db.selectFrom('ci_jobs').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;

describe('POST /projects/:id/jobs/:job_id/cancel', () => {
  test('cancels what is not over, and leaves the rest as it is', async () => {
    for (const [from, to] of [
      ['created', 'canceled'],
      ['pending', 'canceled'],
      ['running', 'canceled'],
      ['manual', 'canceled'],
      ['success', 'success'],
      ['failed', 'failed'],
      ['canceled', 'canceled'],
    ] as const) {
      const { id } = await makeJob(from);
      const body = expectStatus<Row>(await act('cancel', id), 201);
      assert.deepEqual([body.id, body.status], [id, to], from);
      assert.equal(await stateOf(id), to);
    }
  });

  test('ends by force what is being canceled, for maintainers', async () => {
    const { id } = await makeJob('canceling');
    assert.equal(expectStatus<Row>(await act('cancel', id), 201).status, 'canceling');
    assert.equal((await act('cancel', id, { json: { force: true } })).statusCode, 403);
    const forced = await act('cancel', id, { json: { force: true }, token: people.maintainer.token });
    assert.equal(expectStatus<Row>(forced, 201).status, 'canceled');
  });

  test('cancels bridges, and shows them as such', async () => {
    const { id } = await makeJob('running', { kind: 'bridge' });
    const body = expectStatus<Row>(await act('cancel', id), 201);
    assert.deepEqual([body.status, body.downstream_pipeline, 'tag_list' in body], ['canceled', null, false]);
  });

  test('is kept to those whom the project names', async () => {
    const of = async (role: string) => {
      const settings = JSON.stringify({ ci_restrict_pipeline_cancellation_role: role });
      const project = await app.make.project({ columns: { settings } });
      return { project, ...(await app.make.members(project)) };
    };
    const maintained = await of('maintainer');
    const { id } = await makeJob('pending', {}, maintained.project);
    const options = { of: maintained.project };
    assert.equal((await act('cancel', id, { ...options, token: maintained.developer.token })).statusCode, 403);
    assert.equal((await act('cancel', id, { ...options, token: maintained.maintainer.token })).statusCode, 201);
    const nobody = await of('no_one');
    const job = await makeJob('pending', {}, nobody.project);
    assert.equal((await act('cancel', job.id, { of: nobody.project, token: nobody.owner.token })).statusCode, 403);
  });
});

describe('POST /projects/:id/jobs/:job_id/retry', () => {
  test('makes a new job of the same name for the caller', async () => {
    for (const from of ['success', 'failed', 'canceled'] as const) {
      const old = await makeJob(from);
      const body = expectStatus<Row>(await act('retry', old.id), 201);
      assert.notEqual(body.id, old.id);
      assert.deepEqual([body.name, body.status], ['job', 'pending']);
      assert.equal((body.user as Row).id, people.developer.user.id);
    }
  });

  test('refuses what cannot be run once more', async () => {
    for (const from of ['created', 'pending', 'running', 'manual', 'skipped'] as const) {
      const body = expectStatus<Row>(await act('retry', (await makeJob(from)).id), 403);
      assert.equal(body.message, '403 Forbidden - Job is not retryable', from);
    }
    const old = await makeJob('failed');
    expectStatus(await act('retry', old.id), 201);
    assert.equal((await act('retry', old.id)).statusCode, 403);
  });
});

describe('POST /projects/:id/jobs/:job_id/play', () => {
  const manual = { when: 'manual' } as const;

  test('starts a manual job with its variables', async () => {
    const { id } = await makeJob('manual', manual);
    const json = { job_variables_attributes: [{ key: 'A', value: '1' }] };
    const body = expectStatus<Row>(await act('play', id, { json }), 200);
    assert.deepEqual([body.id, body.status], [id, 'pending']);
    const rows = await app.deps.db
      .selectFrom('ci_job_variables')
      .select(['key', 'value', 'source'])
      .where('job_id', '=', id)
      .execute();
    assert.deepEqual(openedVariable(app.deps, 'ci_job_variables', rows[0]!), {
      key: 'A',
      value: '1',
      source: 'manual',
    });
  });

  test('runs a manual job that is over as a new one', async () => {
    const { id } = await makeJob('success', manual);
    const body = expectStatus<Row>(await act('play', id), 200);
    assert.deepEqual([body.id === id, body.status], [false, 'pending']);
  });

  test('refuses what nobody has to start', async () => {
    for (const [status, job] of [
      ['success', {}],
      ['pending', manual],
      ['running', manual],
      ['skipped', manual],
    ] as const) {
      const body = expectStatus<Row>(await act('play', (await makeJob(status, job)).id), 400);
      assert.equal(body.message, '400 Bad request - Unplayable Job');
    }
  });

  test('refuses variables that have no name, and those of people who may not set any', async () => {
    const { id } = await makeJob('manual', manual);
    for (const key of ['', 'A-B', 'ä']) {
      const json = { job_variables_attributes: [{ key, value: '1' }] };
      assert.equal((await act('play', id, { json })).statusCode, 400, key);
    }
    assert.equal((await act('play', id, { json: { job_variables_attributes: 'A=1' } })).statusCode, 400);
    const settings = JSON.stringify({ ci_pipeline_variables_minimum_override_role: 'maintainer' });
    const of = await app.make.project({ columns: { settings } });
    const { developer, maintainer } = await app.make.members(of);
    const job = await makeJob('manual', manual, of);
    const json = { job_variables_attributes: [{ key: 'A', value: '1' }] };
    assert.equal((await act('play', job.id, { of, json, token: developer.token })).statusCode, 403);
    assert.equal((await act('play', job.id, { of, json, token: maintainer.token })).statusCode, 200);
  });
});

describe('inputs of a job', () => {
  const inputs = {
    target: { type: 'string', default: 'none', options: ['none', 'live'] },
    count: { type: 'number', default: 1 },
  };
  const input = async (id: number) => {
    const row = await app.deps.db
      .selectFrom('ci_job_configs')
      .select('options')
      .where('job_id', '=', id)
      .executeTakeFirstOrThrow();
    return inputsOf(JSON.parse(row.options)).map(({ key, value }) => [key, value.type, value.content]);
  };

  test('are changed when it is started, and stay when it is run again', async () => {
    const { id } = await makeJob('manual', { when: 'manual', options: { inputs } });
    assert.deepEqual(await input(id), [
      ['target', 'string', 'none'],
      ['count', 'number', 1],
    ]);
    expectStatus(await act('play', id, { json: { job_inputs: { target: 'live' } } }), 200);
    assert.deepEqual(await input(id), [
      ['target', 'string', 'live'],
      ['count', 'number', 1],
    ]);
    expectStatus(await act('cancel', id), 201);
    const again = expectStatus<{ id: number }>(await act('retry', id, { json: { inputs: { count: '2' } } }), 201);
    assert.deepEqual(await input(again.id), [
      ['target', 'string', 'live'],
      ['count', 'number', 2],
    ]);
    assert.deepEqual((await input(id))[1], ['count', 'number', 1]);
  });

  test('are refused where it has none of that name or kind', async () => {
    const { id } = await makeJob('manual', { when: 'manual', options: { inputs } });
    const refusal = async (job_inputs: unknown) =>
      expectStatus<Row>(await act('play', id, { json: { job_inputs } }), 400).message;
    assert.equal(await refusal({ other: 'x' }), 'unknown input arguments: other');
    assert.match(String(await refusal({ target: 'else' })), /^`target` input: `else` cannot be used/);
    assert.match(String(await refusal({ count: 'many' })), /not a number/);
    assert.equal(await refusal('x'), 'job_inputs is invalid');
    assert.equal(await stateOf(id), 'manual');
    const plain = await makeJob('failed');
    const body = expectStatus<Row>(await act('retry', plain.id, { json: { inputs: { a: 1 } } }), 400);
    assert.equal(body.message, 'unknown input arguments: a');
  });
});

describe('POST /projects/:id/jobs/:job_id/erase', () => {
  async function withFiles(status: State, user: TestUser) {
    const job = await makeJob(status, { columns: { user_id: user.user.id } });
    const { sha256, size } = await app.deps.blobs.put(Readable.from([`log of ${job.id}`]), { maxBytes: 1000 });
    const at = { job_id: job.id, project_id: project.id, created_at: job.created_at, expire_at: null } as const;
    const file = { ...at, sha256, size, accessibility: 'all', file_format: 'raw' } as const;
    await app.deps.db
      .insertInto('ci_job_artifacts')
      .values([
        { ...file, file_type: 'trace', filename: 'job.log' },
        { ...file, file_type: 'junit', filename: 'junit.xml.gz' },
      ])
      .execute();
    return { id: job.id, sha256 };
  }

  test('removes log and artifacts, once', async () => {
    const { id, sha256 } = await withFiles('success', people.developer);
    const body = expectStatus<Row>(await act('erase', id), 201);
    assert.deepEqual([body.id, body.artifacts], [id, []]);
    assert.equal(typeof body.erased_at, 'string');
    const trace = await app.get(`/projects/${project.id}/jobs/${id}/trace`);
    assert.deepEqual([trace.statusCode, trace.body], [200, '']);
    const removals = await app.deps.db
      .selectFrom('jobs')
      .select('payload')
      .where('kind', '=', 'blobs.remove_unused')
      .execute();
    assert.ok(removals.some(({ payload }) => payload.includes(sha256)));
    assert.equal(expectStatus<Row>(await act('erase', id), 403).message, '403 Forbidden - Job is not erasable!');
  });

  test('refuses jobs that are not over, or that left nothing', async () => {
    const running = await withFiles('running', people.developer);
    assert.equal((await act('erase', running.id)).statusCode, 403);
    const { id } = await makeJob('success', { columns: { user_id: people.developer.user.id } });
    assert.equal((await act('erase', id)).statusCode, 403);
    const bridge = await makeJob('success', { kind: 'bridge' });
    assert.equal((await act('erase', bridge.id, { token: people.owner.token })).statusCode, 404);
  });

  test('is for maintainers, and for the developer whom the job ran for', async () => {
    const { id } = await withFiles('success', people.owner);
    assert.equal((await act('erase', id)).statusCode, 403);
    assert.equal((await act('erase', id, { token: people.maintainer.token })).statusCode, 201);
  });
});

describe('who may start and stop jobs', () => {
  let job: { id: number };
  beforeEach(async () => {
    job = await makeJob('manual', { when: 'manual' });
  });

  test('developers and those above them; others are refused before anything happens', async () => {
    for (const action of ['cancel', 'retry', 'play', 'erase']) {
      assert.equal((await act(action, job.id, { token: null })).statusCode, 401, action);
      for (const name of ['stranger', 'guest', 'planner', 'reporter'] as const) {
        assert.equal((await act(action, job.id, { token: people[name].token })).statusCode, 403, `${name} ${action}`);
      }
    }
    assert.equal(await stateOf(job.id), 'manual');
    for (const name of ['developer', 'maintainer', 'owner'] as const) {
      const { id } = await makeJob('manual', { when: 'manual' });
      assert.equal((await act('play', id, { token: people[name].token })).statusCode, 200, name);
    }
  });

  test('what the caller may not see is not there', async () => {
    const hidden = await app.make.project();
    const { id } = await makeJob('manual', { when: 'manual' }, hidden);
    for (const action of ['cancel', 'retry', 'play', 'erase']) {
      assert.equal((await act(action, id, { of: hidden })).statusCode, 404, action);
      assert.equal((await act(action, id, { token: people.owner.token })).statusCode, 404, action);
      assert.equal((await act(action, 987_654)).statusCode, 404, action);
    }
  });

  test('nobody in an archived project, or where builds are off', async () => {
    for (const columns of [{ archived: 1 as const }, { builds_access_level: 'disabled' as const }]) {
      const of = await app.make.project({ columns });
      const { id } = await makeJob('manual', { when: 'manual' }, of);
      const { maintainer } = await app.make.members(of);
      for (const action of ['cancel', 'retry', 'play', 'erase']) {
        assert.equal((await act(action, id, { of, token: maintainer.token })).statusCode, 403, action);
      }
    }
  });

  test('for a protected branch only those whom its protection lets in', async () => {
    const of = await app.make.project();
    await protectDefaultBranch(app.deps, app.deps.db, of.id, 'main');
    const { developer, maintainer } = await app.make.members(of);
    const { jobs } = await makePipeline(app, of, { jobs: [{ name: 'job', status: 'manual', when: 'manual' }] });
    const { id } = jobs.job!;
    assert.equal((await act('play', id, { of, token: developer.token })).statusCode, 403);
    assert.equal((await act('cancel', id, { of, token: developer.token })).statusCode, 403);
    assert.equal((await act('play', id, { of, token: maintainer.token })).statusCode, 200);
  });
});
