import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../test/support/merge-request.ts';
import { type MadeJob, makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { State } from '../../../ci/states.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { cancelJob } from '../../../pipelines/states/cancel.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { retryPipeline } from '../../../pipelines/states/pipeline-states.retry.ts';
import { refreshMergeRequest } from '../../planning/merge-requests/mergeability/refresh.ts';

type Row = Record<string, unknown>;
let app: TestApp;
let project: Project;
let row: MergeRequest;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base });
  row = await makeMergeRequest(app, project, { source_branch: 'topic' });
});

/** A pipeline of the source branch, or a merge request pipeline, for its head. */
const make = async (status: State, kind: 'branch' | 'own', columns: Row = {}, jobs: MadeJob[] = [], of = project) =>
  (
    await makePipeline(app, of, {
      jobs,
      columns: {
        sha: row.head_sha!,
        status,
        ...(kind === 'branch'
          ? { ref: 'topic' }
          : { ref: `refs/merge-requests/${row.iid}/head`, merge_request_id: row.id, source: 'merge_request_event' }),
        ...columns,
      },
    })
  ).pipeline;
const path = (rest = '') => `/projects/${project.id}/merge_requests/${row.iid}${rest}`;
const read = async <T = Row>(rest = '', token?: string | null) =>
  expectStatus<T>(await app.get(path(rest), token === undefined ? {} : { token }), 200);
const ids = (rows: Row[]) => rows.map(({ id }) => id);

describe('GET /projects/:id/merge_requests/:merge_request_iid/pipelines', () => {
  test('lists those that were made for it before those of its branch, the newest first', async () => {
    const own = await make('failed', 'own');
    const branch = await make('success', 'branch');
    const newer = await make('success', 'branch');
    const merged = await make('running', 'own', { sha: 'c'.repeat(40), source_sha: row.head_sha });
    await make('success', 'branch', { source: 'parent_pipeline' });
    await make('success', 'branch', { ref: 'main' });
    await make('success', 'branch', { sha: 'd'.repeat(40) });
    const listed = await read<Row[]>('/pipelines');
    assert.deepEqual(ids(listed), [merged.id, own.id, newer.id, branch.id]);
    const { ref, source, web_url } = listed[1]!;
    assert.deepEqual([ref, source], [`refs/merge-requests/${row.iid}/head`, 'merge_request_event']);
    assert.equal(web_url, `${app.deps.externalUrl()}/${project.full_path}/-/pipelines/${own.id}`);
    const page = await app.get(path('/pipelines'), { query: { per_page: 1, page: 2 } });
    assert.deepEqual(ids(expectStatus(page, 200)), [own.id]);
    assert.equal(page.headers['x-total'], '4');
  });

  test('shows those of each project to those who may see pipelines there', async () => {
    const fork = await app.make.project();
    await app.deps.db
      .updateTable('merge_requests')
      .set({ source_project_id: fork.id })
      .where('id', '=', row.id)
      .execute();
    const there = await make('success', 'branch', {}, [], fork);
    const own = await make('success', 'own', {}, [], fork);
    const here = await make('success', 'own');
    assert.deepEqual(ids(await read<Row[]>('/pipelines')), [here.id, own.id, there.id]);
    const { token } = await app.make.user();
    assert.deepEqual(ids(await read<Row[]>('/pipelines', token)), [here.id]);
    assert.deepEqual(ids(await read<Row[]>('/pipelines', null)), [here.id]);
    const settings = JSON.stringify({ public_jobs: false });
    await app.deps.db.updateTable('projects').set({ settings }).where('id', '=', project.id).execute();
    assert.deepEqual(await read<Row[]>('/pipelines', token), []);
    assert.equal((await app.get(`/projects/${fork.id}/merge_requests/1/pipelines`, { token })).statusCode, 404);
    assert.equal((await app.get(`/projects/${project.id}/merge_requests/99/pipelines`)).statusCode, 404);
  });
});

const FOR_MERGE_REQUESTS = 'test:\n  script: make\n  rules:\n    - if: $CI_PIPELINE_SOURCE == "merge_request_event"\n';

describe('POST /projects/:id/merge_requests/:merge_request_iid/pipelines', () => {
  const start = (json: Row = {}, token?: string | null) =>
    app.post(path('/pipelines'), { json, ...(token === undefined ? {} : { token }) });
  /** Updates the head of the merge request with this configuration. */
  async function configure(yaml: string): Promise<string> {
    new ProjectGit(app, project).commit('topic', { '.gitlab-ci.yml': yaml });
    row = await refreshMergeRequest(app.deps, row.id);
    return row.head_sha!;
  }

  test('makes a pipeline for it', async () => {
    const sha = await configure(FOR_MERGE_REQUESTS);
    const body = expectStatus<Row>(await start(), 200);
    assert.deepEqual(
      [body.sha, body.ref, body.source, body.status, body.project_id],
      [sha, `refs/merge-requests/${row.iid}/head`, 'merge_request_event', 'pending', project.id],
    );
    assert.deepEqual(ids(await read<Row[]>('/pipelines')), [body.id]);
    assert.equal(((await read()).head_pipeline as Row).id, body.id);
    const again = expectStatus<Row>(await start(), 200);
    assert.notEqual(again.id, body.id);
  });

  test('answers at once where that is asked for', async () => {
    await configure(FOR_MERGE_REQUESTS);
    const response = await start({ async: true });
    assert.deepEqual([response.statusCode, response.body], [202, '']);
    await app.drain();
    assert.equal((await read<Row[]>('/pipelines')).length, 1);
  });

  test('refuses where no job is for merge requests, or it is not open', async () => {
    assert.equal((await start()).statusCode, 400);
    await configure('test:\n  script: make\n  rules:\n    - if: $CI_COMMIT_TAG\n');
    assert.equal(expectStatus<Row>(await start(), 405).message, '405 Method Not Allowed');
    await configure(FOR_MERGE_REQUESTS);
    expectStatus(await app.put(path(), { json: { state_event: 'close' } }), 200);
    assert.equal((await start()).statusCode, 405);
    assert.equal((await start({ async: true })).statusCode, 405);
    assert.deepEqual(await read<Row[]>('/pipelines'), []);
  });

  test('keeps a pipeline that tells what is wrong with the configuration', async () => {
    await configure('test:\n  scripts: make\n');
    const body = expectStatus<Row>(await start(), 200);
    assert.equal(body.status, 'failed');
    assert.match(String(body.yaml_errors), /test/);
  });

  test('is for those who may run pipelines in its project, or in that of its source', async () => {
    await configure(FOR_MERGE_REQUESTS);
    const people = await app.make.members(project);
    assert.equal((await start({}, null)).statusCode, 401);
    for (const name of ['stranger', 'guest', 'reporter'] as const) {
      assert.equal((await start({}, people[name].token)).statusCode, 403, name);
    }
    for (const name of ['developer', 'maintainer'] as const) {
      assert.equal((await start({}, people[name].token)).statusCode, 200, name);
    }
    const fork = await app.make.project({ owner: people.stranger.user });
    const forkGit = new ProjectGit(app, fork);
    forkGit.run(['fetch', '--quiet', new ProjectGit(app, project).dir, '+refs/heads/*:refs/heads/*']);
    await app.deps.db
      .updateTable('merge_requests')
      .set({ source_project_id: fork.id })
      .where('id', '=', row.id)
      .execute();
    const body = expectStatus<Row>(await start({}, people.stranger.token), 200);
    assert.deepEqual([body.project_id, body.ref], [fork.id, 'topic']);
    assert.equal((await start({}, people.reporter.token)).statusCode, 403);
    await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
    assert.equal((await start({}, people.maintainer.token)).statusCode, 403);
    const hidden = await app.make.project();
    const url = `/projects/${hidden.id}/merge_requests/1/pipelines`;
    assert.equal((await app.post(url, { token: people.developer.token })).statusCode, 404);
    assert.equal((await app.post(url)).statusCode, 404);
  });
});

describe('the pipeline of a merge request', () => {
  test('is the newest that was made for it, else the newest of its branch', async () => {
    assert.deepEqual([(await read()).head_pipeline, (await read()).pipeline], [null, null]);
    const branch = await make('success', 'branch', { started_at: '2026-01-01T00:00:00.000Z' });
    await make('failed', 'branch', { source: 'parent_pipeline' });
    const shown = await read();
    assert.equal((shown.head_pipeline as Row).id, branch.id);
    assert.equal(shown.latest_build_started_at, '2026-01-01T00:00:00.000Z');
    const own = await make('running', 'own', { name: 'For review', yaml_errors: 'oh' });
    await make('success', 'branch');
    const { head_pipeline, pipeline } = (await read()) as { head_pipeline: Row; pipeline: Row };
    assert.deepEqual([pipeline.id, head_pipeline.id], [own.id, own.id]);
    assert.deepEqual([head_pipeline.name, head_pipeline.yaml_errors], ['For review', 'oh']);
    assert.equal((head_pipeline.detailed_status as Row).text, 'Running');
    const result = await make('running', 'own', { sha: 'e'.repeat(40), source_sha: row.head_sha });
    assert.equal(((await read()).head_pipeline as Row).id, result.id);
  });

  test('decides whether it can be merged where the project wants one to succeed', async () => {
    const status = async () => (await read()).detailed_merge_status;
    const configure = (json: Row) => app.put(`/projects/${project.id}`, { json });
    assert.equal(await status(), 'mergeable');
    expectStatus(await configure({ only_allow_merge_if_pipeline_succeeds: true }), 200);
    assert.equal(await status(), 'ci_must_pass');
    const own = await make('running', 'own');
    assert.equal(await status(), 'ci_still_running');
    await make('success', 'branch');
    assert.equal(await status(), 'ci_still_running');
    const set = (state: State) =>
      app.deps.db.updateTable('pipelines').set({ status: state }).where('id', '=', own.id).execute();
    await set('skipped');
    assert.equal(await status(), 'ci_must_pass');
    expectStatus(await configure({ allow_merge_on_skipped_pipeline: true }), 200);
    assert.equal(await status(), 'mergeable');
    await set('manual');
    assert.equal(await status(), 'ci_must_pass');
    await set('success');
    assert.equal(await status(), 'mergeable');
  });

  test('lets an automatic merge go on when its jobs have succeeded', async () => {
    const { jobs } = await makePipeline(app, project, {
      jobs: [
        { name: 'a', status: 'running' },
        { name: 'b', status: 'running' },
      ],
      columns: { sha: row.head_sha!, ref: `refs/merge-requests/${row.iid}/head`, merge_request_id: row.id },
    });
    const { state } = expectStatus(await app.put(path('/merge'), { json: { auto_merge: true } }), 200);
    assert.equal(state, 'opened');
    const now = async () => {
      await app.drain();
      return (await reloadMergeRequest(app, row)).state;
    };
    await finishJob(app.deps, jobs.a!.id, { status: 'success' });
    assert.equal(await now(), 'opened');
    await finishJob(app.deps, jobs.b!.id, { status: 'success' });
    assert.equal(await now(), 'merged');
  });

  test('gives its author something to do when a job fails that must not, until it is run again', async () => {
    const ana = await app.make.user();
    await app.make.member({ project }, ana.user, 30);
    await app.deps.db.updateTable('merge_requests').set({ author_id: ana.user.id }).where('id', '=', row.id).execute();
    const todos = async () => {
      await app.drain();
      return expectStatus<Row[]>(await app.get('/todos', { token: ana.token }), 200).map((todo) => todo.action_name);
    };
    const jobs = [
      { name: 'allowed', status: 'running', allowFailure: true },
      { name: 'canceled', status: 'pending' },
      { name: 'strict', status: 'running' },
    ] as const;
    const made = await makePipeline(app, project, { jobs, columns: { sha: row.head_sha!, ref: 'topic' } });
    await finishJob(app.deps, made.jobs.allowed!.id, { status: 'failed', failureReason: 'script_failure' });
    await cancelJob(app.deps, made.jobs.canceled!.id, { userId: 1 });
    assert.deepEqual(await todos(), []);
    await finishJob(app.deps, made.jobs.strict!.id, { status: 'failed', failureReason: 'script_failure' });
    assert.deepEqual(await todos(), ['build_failed']);
    await retryPipeline(app.deps, made.pipeline.id, { userId: 1 });
    assert.deepEqual(await todos(), []);
  });

  test('tells when its target branch first reached production after the merge', async () => {
    const { db } = app.deps;
    const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
    await db
      .updateTable('merge_requests')
      .set({ state: 'merged', merged_at: at(10) })
      .where('id', '=', row.id)
      .execute();
    const environment = await db
      .insertInto('environments')
      .values({
        ...{ project_id: project.id, name: 'live', slug: 'live', tier: 'production', state: 'available' },
        auto_stop_setting: 'always',
        created_at: at(1),
        updated_at: at(1),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const deploy = (iid: number, day: number, ref: string, status: 'success' | 'failed') =>
      db
        .insertInto('deployments')
        .values({
          ...{ iid, project_id: project.id, environment_id: environment.id, ref, sha: 'a'.repeat(40), status },
          created_at: at(day),
          updated_at: at(day),
          finished_at: at(day + 1),
        })
        .execute();
    assert.equal((await read()).first_deployed_to_production_at, null);
    await deploy(1, 9, 'main', 'success');
    await deploy(2, 11, 'other', 'success');
    await deploy(3, 12, 'main', 'failed');
    await deploy(4, 14, 'main', 'success');
    await deploy(5, 16, 'main', 'success');
    assert.equal((await read()).first_deployed_to_production_at, at(15));
  });
});
