import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { LIMITS } from './plan-limits.inputs.ts';

type Json = Record<string, unknown>;
const PATH = '/application/plan_limits';
const MIB = 1024 * 1024;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = new TestClock(new Date());
  app = await buildTestApp({ clock });
});
after(() => app.close());
afterEach(async () => {
  await app.deps.db.deleteFrom('plan_limits').execute();
  app.deps.recent.invalidate();
});

const put = async (json: Json, status = 200) => expectStatus<Json>(await app.put(PATH, { json }), status);
const limit = (limits: Json) => put({ plan_name: 'default', ...limits });
const get = async (plan_name?: string) =>
  expectStatus<Json>(await app.get(PATH, { query: plan_name === undefined ? {} : { plan_name } }), 200);

describe('the limits of a plan', () => {
  test('have defaults, and are changed bit by bit', async () => {
    assert.deepEqual(await get(), { ...LIMITS, limits_history: {} });
    const first = await limit({ ci_pipeline_size: 5, unknown: 7 });
    const change = { timestamp: Math.floor(clock.now().getTime() / 1_000), user_id: 1, username: 'root', value: 5 };
    assert.deepEqual(first, { ...LIMITS, ci_pipeline_size: 5, limits_history: { ci_pipeline_size: [change] } });
    const second = await limit({ ci_pipeline_size: 6, dotenv_size: 5_120 });
    assert.deepEqual(second.limits_history, { ci_pipeline_size: [change, { ...change, value: 6 }] });
    assert.deepEqual(await get('default'), second);
  });

  test('are kept for each plan', async () => {
    await put({ plan_name: 'premium', ci_active_jobs: 9 });
    assert.equal((await get('premium')).ci_active_jobs, 9);
    assert.equal((await get()).ci_active_jobs, 0);
  });

  test('are whole numbers from 0 of plans that there are', async () => {
    assert.equal((await put({}, 400)).message, 'plan_name is missing');
    assert.equal((await put({ plan_name: 'gratis' }, 400)).message, 'plan_name does not have a valid value');
    expectStatus(await app.get(PATH, { query: { plan_name: 'gratis' } }), 400);
    const wrong = await put({ plan_name: 'default', ci_pipeline_size: 'x', dotenv_size: 1.5 }, 400);
    assert.equal(wrong.message, 'ci_pipeline_size is invalid, dotenv_size is invalid');
    assert.match(String((await put({ plan_name: 'default', dotenv_size: -1 }, 400)).message), /valid value/);
    assert.match(String((await put({ plan_name: 'default', dotenv_size: 2 ** 63 }, 400)).message), /invalid/);
  });

  test('are for administrators', async () => {
    const { token } = await app.make.user();
    for (const [who, status] of [
      [token, 403],
      [null, 401],
    ] as const) {
      expectStatus(await app.get(PATH, { token: who }), status);
      expectStatus(await app.put(PATH, { token: who, json: { plan_name: 'default', dotenv_size: 1 } }), status);
    }
  });

  test('changed at once are all remembered', async () => {
    const names = ['ci_pipeline_size', 'ci_active_jobs', 'dotenv_size', 'dotenv_variables'];
    await Promise.all(names.map((name) => limit({ [name]: 77 })));
    const now = await get();
    assert.deepEqual(
      names.map((name) => now[name]),
      [77, 77, 77, 77],
    );
    assert.deepEqual(Object.keys(now.limits_history as Json).sort(), names.toSorted());
  });
});

describe('a limit holds', () => {
  const upload = (id: number, size: number) =>
    app.put(`/projects/${id}/packages/generic/thing/1.0/a.bin`, {
      body: Buffer.alloc(size),
      headers: { 'content-type': 'application/octet-stream' },
    });

  test('for the files of packages, while they come', async () => {
    const { id } = await app.make.project();
    await limit({ generic_packages_max_file_size: 100 });
    expectStatus(await upload(id, 100), 201);
    assert.match(String(expectStatus<Json>(await upload(id, 101), 400).message), /File is too large/);
    await limit({ generic_packages_max_file_size: 0 });
    expectStatus(await upload(id, 101), 201);
  });

  test('for reports of variables', async () => {
    const held = await holdJob(app, await app.make.project());
    const send = (text: string) =>
      uploadArtifact(app, held, gzipSync(text), { artifact_type: 'dotenv', artifact_format: 'gzip' });
    await limit({ dotenv_variables: 1 });
    assert.match(String(expectStatus<Json>(await send('A=1\nB=2'), 400).message), /more than 1 variables/);
    await limit({ dotenv_variables: 2, dotenv_size: 6 });
    assert.match(String(expectStatus<Json>(await send('A=1\nB=2'), 400).message), /Maximum Allowable Size: 6/);
    await limit({ dotenv_size: 7 });
    expectStatus(await send('A=1\nB=2'), 201);
  });

  const pipelineOf = async (config: string) => {
    const project = await app.make.project();
    await commitFiles(app, project.id, { '.gitlab-ci.yml': config });
    await app.drain();
    const create = () => app.post(`/projects/${project.id}/pipeline`, { json: { ref: 'main' } });
    const [first] = expectStatus<Json[]>(await app.get(`/projects/${project.id}/pipelines`), 200);
    return {
      project,
      create,
      first: expectStatus<Json>(await app.get(`/projects/${project.id}/pipelines/${first!.id}`), 200),
    };
  };
  const TWO = 'a: {script: x}\nb: {script: x}\n';

  test('for the jobs of a pipeline', async () => {
    await limit({ ci_pipeline_size: 1 });
    const { first } = await pipelineOf(TWO);
    assert.equal(first.status, 'failed');
    assert.match(String(first.yaml_errors), /^The number of jobs has exceeded the limit of 1\./);
    await limit({ ci_pipeline_size: 2 });
    assert.equal((await pipelineOf(TWO)).first.status, 'pending');
  });

  test('for the jobs of all running pipelines of a project', async () => {
    await limit({ ci_active_jobs: 3 });
    const { first, create } = await pipelineOf(TWO);
    assert.equal(first.status, 'pending');
    const second = await create();
    const row = await app.deps.db
      .selectFrom('pipelines')
      .select(['failure_reason', 'yaml_errors'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    assert.equal(row.failure_reason, 'job_activity_limit_exceeded');
    assert.match(String(row.yaml_errors), /exceeded the allowed number of jobs in active pipelines/);
    assert.ok([201, 400].includes(second.statusCode));
  });

  test('for the jobs of pipelines that are started at once', async () => {
    await limit({ ci_active_jobs: 4 });
    const { project, create } = await pipelineOf(TWO);
    await Promise.all([create(), create(), create()]);
    const { db } = app.deps;
    const pipelines = db.selectFrom('pipelines').select('failure_reason').where('project_id', '=', project.id);
    const reasons = (await pipelines.orderBy('id').execute()).map(({ failure_reason }) => failure_reason);
    const full = 'job_activity_limit_exceeded';
    assert.equal(reasons.filter((reason) => reason === full).length, 2, String(reasons));
    assert.equal(reasons.length, 4);
  });

  test('for what a job needs', async () => {
    await limit({ ci_needs_size_limit: 1 });
    const { first } = await pipelineOf('a: {script: x}\nb: {script: x}\nc: {script: x, needs: [a, b]}\n');
    assert.equal(first.status, 'failed');
    assert.match(String(first.yaml_errors), /one job can only need 1 others, but you have listed 2/);
  });

  test('for schedules, runners and variables of the server', async () => {
    const { project } = await pipelineOf(TWO);
    await limit({ ci_pipeline_schedules: 1, ci_registered_project_runners: 1, ci_instance_level_variables: 1 });
    const asked: [string, (n: number) => Json, RegExp][] = [
      [
        `/projects/${project.id}/pipeline_schedules`,
        () => ({ description: 'x', ref: 'main', cron: '0 1 * * *' }),
        /schedules \(1\)/,
      ],
      ['/user/runners', () => ({ runner_type: 'project_type', project_id: project.id }), /project runners \(1\)/],
      ['/admin/ci/variables', (n) => ({ key: `KEY_${n}`, value: 'x' }), /variables \(1\)/],
    ];
    for (const [path, body, text] of asked) {
      expectStatus(await app.post(path, { json: body(1) }), 201);
      assert.match(String(expectStatus<Json>(await app.post(path, { json: body(2) }), 400).message), text);
    }
    await limit({ ci_pipeline_schedules: 0, ci_registered_project_runners: 0, ci_instance_level_variables: 0 });
    for (const [path, body] of asked) expectStatus(await app.post(path, { json: body(2) }), 201);
  });
});

describe('the storage of a top-level group', () => {
  /** A project in a subgroup, whose sister has so many bytes. */
  async function place(bytes: number) {
    const group = await app.make.group();
    const subgroup = await app.make.group({ parent: group });
    await app.make.project({ namespace: group, columns: { storage_size: bytes } });
    return app.make.project({ namespace: subgroup });
  }
  const commit = (id: number, name = 'a') =>
    app.post(`/projects/${id}/repository/commits`, {
      json: {
        branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: `${name}.txt`, content: 'x' }],
      },
    });
  const full = /storage limit of 1 MiB has been reached/;

  test('past its limit lets nothing be added', async () => {
    const { id } = await place(MIB);
    const held = await holdJob(
      app,
      await app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
    const file = { body: Buffer.from('x'), headers: { 'content-type': 'application/octet-stream' } };
    expectStatus(await commit(id), 201);
    await limit({ storage_size_limit: 2, enforcement_limit: 1 });
    const refusals: [Promise<{ body: string; statusCode: number }>, number][] = [
      [commit(id, 'other'), 400],
      [app.put(`/projects/${id}/packages/generic/thing/1.0/a.bin`, file), 403],
      [uploadArtifact(app, held, Buffer.from('x')), 403],
      [
        app.post(`/jobs/${held.job.id}/artifacts/authorize`, { token: null, headers: { 'job-token': held.token } }),
        403,
      ],
    ];
    for (const [response, status] of refusals) {
      const { body, statusCode } = await response;
      assert.equal(statusCode, status, body);
      assert.match(body, full);
    }
    await limit({ enforcement_limit: 0 });
    expectStatus(await commit(id, 'another'), 201);
  });

  test('is looked at by pushes, which may still remove', async () => {
    const project = await place(MIB);
    const git = await GitUser.of(app);
    const tree = await git.tree();
    await git.ok(tree, 'push', git.address(project), 'main', 'main:topic');
    await limit({ notification_limit: 1 });
    assert.match(
      await git.ok(tree, 'push', git.address(project), 'main:second'),
      /The storage of group\d+ has exceeded 1 MiB/,
    );
    await limit({ enforcement_limit: 1 });
    assert.match(await git.fails(tree, 'push', git.address(project), 'main:third'), full);
    await git.ok(tree, 'push', git.address(project), ':topic');
  });

  test('of somebody else does not count', async () => {
    await place(5 * MIB);
    const { id } = await place(0);
    await limit({ storage_size_limit: 1 });
    expectStatus(await commit(id), 201);
  });
});
