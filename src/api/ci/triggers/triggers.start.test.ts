import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';

interface Answer {
  id: number;
  ref: string;
  source: string;
  status: string;
  user: { id: number };
  yaml_errors: string | null;
  message?: string;
  errors?: Record<string, string[]>;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const CONFIG = 'test:\n  script: echo\n';

async function triggered(config = CONFIG) {
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': config });
  const made = await app.post(`/projects/${project.id}/triggers`, { json: { description: 'x' } });
  const trigger = expectStatus<{ id: number; token: string }>(made, 201);
  return { project, trigger, path: `/projects/${project.id}/trigger/pipeline` };
}

const start = (path: string, json: object) => app.post(path, { token: null, json });
async function variablesOf(pipelineId: number) {
  const rows = await app.deps.db
    .selectFrom('ci_pipeline_variables')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .orderBy('key')
    .execute();
  return rows.map((row) => openedVariable(app.deps, 'ci_pipeline_variables', row));
}

test('a trigger token starts a pipeline in the name of its owner, and no login is needed', async () => {
  const { path, project, trigger } = await triggered();
  const json = { token: trigger.token, ref: 'main', variables: { WHERE: 'staging' }, more: { from: 'a hook' } };
  const made = expectStatus<Answer>(await start(path, json), 201);
  assert.deepEqual([made.ref, made.source, made.user.id, made.status], ['main', 'trigger', 1, 'pending']);
  const [payload, where] = await variablesOf(made.id);
  assert.deepEqual([where?.key, where?.value, where?.variable_type], ['WHERE', 'staging', 'env_var']);
  assert.deepEqual([payload?.key, payload?.variable_type], ['TRIGGER_PAYLOAD', 'file']);
  const { token: _token, ...sent } = json;
  assert.deepEqual(JSON.parse(payload!.value), { ...sent, id: String(project.id) });
  const listed = expectStatus<{ last_used: string }[]>(await app.get(`/projects/${project.id}/triggers`), 200);
  assert.equal(listed[0]?.last_used, '2026-06-15T12:00:00.000Z');
});

test('jobs are told no credential that came with the request', async () => {
  const { path, trigger } = await triggered();
  const { token } = await app.make.user();
  const json = { token: trigger.token, ref: 'main', private_token: token, kept: 'x' };
  const made = expectStatus<Answer>(await start(path, json), 201);
  const [payload] = await variablesOf(made.id);
  assert.equal(JSON.parse(payload!.value).kept, 'x');
  assert.ok(!payload!.value.includes(token) && !payload!.value.includes(trigger.token));
});

test('forms and addresses that name the ref work as well', async () => {
  const { project, trigger, path } = await triggered();
  const form = `token=${trigger.token}&ref=main&variables[A]=1&variables[B]=2`;
  const made = expectStatus<Answer>(await app.post(path, { token: null, form }), 201);
  assert.deepEqual(
    (await variablesOf(made.id)).map(({ key }) => key),
    ['A', 'B', 'TRIGGER_PAYLOAD'],
  );
  new ProjectGit(app, project).run(['branch', 'feature/one', 'main']);
  const named = `/projects/${project.id}/ref/feature%2Fone/trigger/pipeline`;
  const query = { token: trigger.token };
  assert.equal(expectStatus<Answer>(await app.post(named, { token: null, query }), 201).ref, 'feature/one');
});

test('what cannot be started is refused with the reason', async () => {
  const { path, trigger } = await triggered();
  const json = { token: trigger.token, ref: 'main' };
  const refused = async (changes: object) => expectStatus<Answer>(await start(path, { ...json, ...changes }), 400);
  assert.deepEqual((await refused({ ref: 'other' })).errors, { base: ['Reference not found'] });
  assert.equal((await refused({ inputs: { a: ['x\0'] } })).message, 'inputs is invalid');
  assert.equal((await refused({ variables: { A: 'x\0' } })).message, 'variables is invalid');
  for (const variables of ['text', ['A'], { A: 1 }, { A: { B: 'c' } }]) {
    assert.equal((await refused({ variables })).message, 'variables needs to be a map of key-valued strings');
  }
  assert.match((await refused({ variables: { 'A-B': 'x' } })).message!, /can contain only letters/);
  assert.equal((await refused({ ref: undefined })).message, 'ref is missing, ref is empty');
  assert.equal((await refused({ token: undefined })).message, 'token is missing');
  const inputs = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`i${n}`, n]));
  assert.deepEqual((await refused({ inputs })).errors, { base: ['There cannot be more than 20 inputs'] });
});

test('a wrong token, one of another project and one whose time is over find nothing', async () => {
  const { path, project, trigger } = await triggered();
  const other = await triggered();
  const json = { ref: 'main' };
  for (const token of ['wrong', other.trigger.token]) {
    assert.equal(expectStatus<Answer>(await start(path, { ...json, token }), 404).message, '404 Not Found');
  }
  expectStatus(await start('/projects/999999/trigger/pipeline', { ...json, token: trigger.token }), 404);
  await app.deps.db
    .updateTable('ci_triggers')
    .set({ expires_at: clock.now().toISOString() })
    .where('project_id', '=', project.id)
    .execute();
  expectStatus(await start(path, { ...json, token: trigger.token }), 404);
});

test('a configuration with errors makes a failed pipeline that tells them', async () => {
  const { path, trigger } = await triggered('test: {}\n');
  const made = expectStatus<Answer>(await start(path, { token: trigger.token, ref: 'main' }), 201);
  assert.equal(made.status, 'failed');
  assert.match(made.yaml_errors!, /script/);
});

test('a trigger never starts a pipeline in the name of one who is blocked, or may not any more', async () => {
  const { project, path } = await triggered();
  for (const end of ['block', 'remove'] as const) {
    const owner = await app.make.user();
    await app.make.member({ project }, owner.user, 40);
    const made = await app.post(`/projects/${project.id}/triggers`, { token: owner.token, json: { description: 'x' } });
    const { token } = expectStatus<{ token: string }>(made, 201);
    expectStatus(await start(path, { token, ref: 'main' }), 201);
    if (end === 'block') expectStatus(await app.post(`/users/${owner.user.id}/block`), 201);
    else expectStatus(await app.delete(`/projects/${project.id}/members/${owner.user.id}`), 204);
    const { errors } = expectStatus<Answer>(await start(path, { token, ref: 'main' }), 400);
    assert.deepEqual(errors, { base: ['Insufficient permissions to create a new pipeline'] }, end);
  }
});

async function runningJob(project: Project, userId = 1): Promise<{ id: number; token: string }> {
  const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'call', status: 'running' }] });
  const token = `glcbt-test-${jobs.call!.id}`;
  const values = { token_digest: tokenDigest(token), user_id: userId };
  await app.deps.db.updateTable('ci_jobs').set(values).where('id', '=', jobs.call!.id).execute();
  return { id: jobs.call!.id, token };
}

test('a job that runs starts a pipeline with its token, in projects that let it in', async () => {
  const { path, project } = await triggered();
  const caller = await app.make.project();
  const job = await runningJob(caller);
  expectStatus(await start(path, { token: job.token, ref: 'main' }), 404);
  const json = { target_project_id: caller.id };
  expectStatus(await app.post(`/projects/${project.id}/job_token_scope/allowlist`, { json }), 201);
  const made = expectStatus<Answer>(await start(path, { token: job.token, ref: 'main', variables: { A: 'b' } }), 201);
  assert.equal(made.source, 'pipeline');
  const row = await app.deps.db.selectFrom('pipelines').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow();
  assert.equal(row.upstream_job_id, job.id);
  await app.deps.db.updateTable('ci_jobs').set({ status: 'success' }).where('id', '=', job.id).execute();
  const over = expectStatus<Answer>(await start(path, { token: job.token, ref: 'main' }), 401);
  assert.equal(over.message, '401 Unauthorized - Job is not running');
});

test('jobs start pipelines that start pipelines until a thousand hang together', async () => {
  const { project, path } = await triggered();
  const first = await runningJob(project);
  let token = first.token;
  // A script may go in a circle as long as it likes.
  for (let turn = 0; turn < 4; turn += 1) {
    const { id } = expectStatus<Answer>(await start(path, { token, ref: 'main' }), 201);
    const job = await app.deps.db.selectFrom('ci_jobs').select('id').where('pipeline_id', '=', id).executeTakeFirst();
    token = `glcbt-turn-${id}`;
    const values = { token_digest: tokenDigest(token), status: 'running' as const };
    await app.deps.db.updateTable('ci_jobs').set(values).where('id', '=', job!.id).execute();
  }
  const row = await app.deps.db
    .selectFrom('pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.pipeline_id', 'pipelines.id')
    .selectAll('pipelines')
    .where('ci_jobs.id', '=', first.id)
    .executeTakeFirstOrThrow();
  const { id: upstream_pipeline_id, ...like } = row;
  const more = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ ...like, upstream_pipeline_id, iid: 1000 + from + n }));
  for (const [from, to] of [
    [0, 500],
    [500, 994],
  ] as const) {
    await app.deps.db.insertInto('pipelines').values(more(from, to)).execute();
  }
  expectStatus(await start(path, { token, ref: 'main' }), 201);
  for (const each of [first.token, token]) {
    const { errors } = expectStatus<Answer>(await start(path, { token: each, ref: 'main' }), 400);
    assert.deepEqual(errors, { base: ['The downstream pipeline tree is too large'] });
  }
  const other = await runningJob(project);
  expectStatus(await start(path, { token: other.token, ref: 'main' }), 201);
});

test('the token of a job gives no more than the rights of its user', async () => {
  const { project, path } = await triggered();
  const people = await app.make.members(project);
  const job = await runningJob(project, people.reporter.user.id);
  const { errors } = expectStatus<Answer>(await start(path, { token: job.token, ref: 'main' }), 400);
  assert.deepEqual(errors, { base: ['Insufficient permissions to create a new pipeline'] });
});

test('where variables are kept from the owner of a trigger, it gives none', async () => {
  const { project, path, trigger } = await triggered();
  const json = { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' };
  expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
  const made = expectStatus<Answer>(await start(path, { token: trigger.token, ref: 'main' }), 201);
  assert.deepEqual(await variablesOf(made.id), []);
  const body = { token: trigger.token, ref: 'main', variables: { A: 'b' } };
  assert.deepEqual(expectStatus<Answer>(await start(path, body), 400).errors, {
    base: ['Insufficient permissions to set pipeline variables'],
  });
});
