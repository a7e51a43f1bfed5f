import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
const NOW = '2026-06-15T12:00:00.000Z';
let app: TestApp;
let project: Project;
let sha: string;
before(async () => {
  app = await buildTestApp({ clock });
  project = await app.make.project();
  sha = new ProjectGit(app, project).commit(
    'main',
    { a: '1' },
    { message: 'Say hello\n\nSigned-off-by: Ann <ann@example.org>\n' },
  );
});
after(() => app.close());

const read = async <T = Row[]>(path: string, query: Record<string, string | string[] | boolean> = {}, status = 200) =>
  expectStatus<T>(await app.get(path, { query }), status);
const names = (rows: Row[]) => rows.map(({ name }) => name);

describe('GET /projects/:id/jobs/:job_id', () => {
  test('shows all of a job', async () => {
    const { pipeline, jobs } = await makePipeline(app, project, {
      jobs: [
        {
          name: 'rspec',
          stage: 'build',
          status: 'failed',
          tags: ['ruby', 'docker'],
          columns: {
            coverage: 12.5,
            failure_reason: 'script_failure',
            queued_at: NOW,
            started_at: '2026-06-15T12:00:01.250Z',
            finished_at: '2026-06-15T12:00:02.750Z',
            artifacts_expire_at: '2026-07-15T12:00:00.000Z',
          },
        },
      ],
      columns: { sha },
    });
    const { id } = jobs.rspec!;
    const file = {
      ...{ job_id: id, project_id: project.id, sha256: 'ab', created_at: NOW },
      accessibility: 'all',
      expire_at: null,
    } as const;
    await app.deps.db
      .insertInto('ci_job_artifacts')
      .values([
        { ...file, file_type: 'archive', file_format: 'zip', filename: 'artifacts.zip', size: 1000 },
        { ...file, file_type: 'trace', file_format: 'raw', filename: 'job.log', size: 12 },
      ])
      .execute();
    const body = await read<Row>(`/projects/${project.id}/jobs/${id}`);
    const { user, commit, ...rest } = body as { user: Row; commit: Row };
    assert.deepEqual(rest, {
      id,
      status: 'failed',
      stage: 'build',
      name: 'rspec',
      ref: 'main',
      tag: false,
      coverage: 12.5,
      allow_failure: false,
      created_at: NOW,
      started_at: '2026-06-15T12:00:01.250Z',
      finished_at: '2026-06-15T12:00:02.750Z',
      erased_at: null,
      duration: 1.5,
      queued_duration: 1.25,
      pipeline: {
        id: pipeline.id,
        iid: pipeline.iid,
        project_id: project.id,
        sha,
        ref: 'main',
        status: pipeline.status,
        source: 'push',
        created_at: NOW,
        updated_at: NOW,
        web_url: `${app.deps.externalUrl()}/${project.full_path}/-/pipelines/${pipeline.id}`,
      },
      failure_reason: 'script_failure',
      web_url: `${app.deps.externalUrl()}/${project.full_path}/-/jobs/${id}`,
      project: { ci_job_token_scope_enabled: false },
      archived: false,
      download_url: null,
      artifacts_file: { filename: 'artifacts.zip', size: 1000 },
      artifacts: [
        { file_type: 'archive', size: 1000, filename: 'artifacts.zip', file_format: 'zip' },
        { file_type: 'trace', size: 12, filename: 'job.log', file_format: null },
      ],
      runner: null,
      runner_manager: null,
      artifacts_expire_at: '2026-07-15T12:00:00.000Z',
      tag_list: ['docker', 'ruby'],
    });
    assert.deepEqual([user.username, user.bio, user.followers], ['root', '', undefined]);
    assert.deepEqual([commit.id, commit.title], [sha, 'Say hello']);
    assert.deepEqual(commit.trailers, { 'Signed-off-by': 'Ann <ann@example.org>' });
  });

  test('counts what runs and waits until now, and shows no reason of what did not fail', async () => {
    const { jobs } = await makePipeline(app, project, {
      jobs: [
        { name: 'running', status: 'running', columns: { failure_reason: 'runner_system_failure' } },
        { name: 'pending', status: 'pending' },
        { name: 'created' },
        { name: 'skipped', status: 'skipped', columns: { queued_at: clock.now().toISOString() } },
      ],
    });
    clock.advance(2_000);
    const one = (name: string) => read<Row>(`/projects/${project.id}/jobs/${jobs[name]!.id}`);
    const running = await one('running');
    assert.deepEqual([running.duration, running.queued_duration, running.commit], [2, 0, null]);
    assert.equal(running.failure_reason, null);
    assert.ok(!('artifacts_file' in running));
    const pending = await one('pending');
    assert.deepEqual([pending.duration, pending.queued_duration], [null, 2]);
    const skipped = await one('skipped');
    assert.deepEqual([skipped.duration, skipped.queued_duration], [null, null]);
    const created = await one('created');
    assert.deepEqual([created.duration, created.queued_duration, created.artifacts], [null, null, []]);
  });

  test('finds no job of another project, no bridge and no reported state', async () => {
    const { jobs } = await makePipeline(app, project, {
      jobs: [{ name: 'job' }, { name: 'bridge', kind: 'bridge' }, { name: 'status', kind: 'status' }],
    });
    const other = await app.make.project();
    for (const path of [
      `/projects/${other.id}/jobs/${jobs.job!.id}`,
      `/projects/${project.id}/jobs/${jobs.bridge!.id}`,
      `/projects/${project.id}/jobs/${jobs.status!.id}`,
      `/projects/${project.id}/jobs/987654`,
    ]) {
      assert.equal((await read<Row>(path, {}, 404)).message, '404 Not found');
    }
  });
});

describe('GET /job', () => {
  test('gives the job of a token while it runs', async () => {
    const token = 'glcbt-of-a-job';
    const { jobs } = await makePipeline(app, project, {
      jobs: [{ name: 'mine', status: 'running', columns: { token_digest: tokenDigest(token) } }],
    });
    const { id } = jobs.mine!;
    const ask = (headers: Record<string, string>, query = {}) => app.get('/job', { token: null, headers, query });
    assert.equal(expectStatus(await ask({ 'job-token': token }), 200).id, id);
    assert.equal(expectStatus(await ask({}, { job_token: token }), 200).id, id);
    assert.equal((await ask({ 'job-token': 'glcbt-of-none' })).statusCode, 401);
    assert.equal((await ask({})).statusCode, 401);
    assert.equal((await app.get('/job')).statusCode, 401);
    await app.deps.db.updateTable('ci_jobs').set({ status: 'success' }).where('id', '=', id).execute();
    assert.equal((await ask({ 'job-token': token })).statusCode, 401);
  });

  test('its token reads pipelines and jobs of its project, and of no other', async () => {
    const token = 'glcbt-reads';
    const { jobs, pipeline } = await makePipeline(app, project, {
      jobs: [{ name: 'mine', status: 'running', columns: { token_digest: tokenDigest(token) } }],
    });
    const other = await app.make.project();
    const of = (id: number) => [`/projects/${id}/jobs`, `/projects/${id}/pipelines`];
    const ask = async (path: string) =>
      (await app.get(path, { token: null, headers: { 'job-token': token } })).statusCode;
    const { id } = pipeline;
    const more = [`/${id}`, `/${id}/jobs`, `/${id}/bridges`].map((end) => `/projects/${project.id}/pipelines${end}`);
    for (const path of [...of(project.id), ...more]) assert.equal(await ask(path), 200, path);
    for (const path of of(other.id)) assert.equal(await ask(path), 404, path);
    assert.equal(await ask(`/projects/${project.id}/jobs/${jobs.mine!.id}`), 404);
    assert.equal(await ask(`/projects/${project.id}/pipelines/${id}/variables`), 401);
  });
});

describe('GET /projects/:id/jobs', () => {
  let of: Project;
  let path: string;
  before(async () => {
    of = await app.make.project();
    path = `/projects/${of.id}/jobs`;
    await makePipeline(app, of, {
      jobs: [
        { name: 'one', status: 'success' },
        { name: 'two', status: 'failed' },
        { name: 'bridge', kind: 'bridge', status: 'failed' },
        { name: 'three', status: 'pending' },
      ],
    });
    await makePipeline(app, of, { jobs: [{ name: 'four', status: 'failed' }], columns: { ref: 'other' } });
  });

  test('lists all, the newest first, without totals', async () => {
    const response = await app.get(path);
    assert.deepEqual(names(expectStatus(response, 200)), ['four', 'three', 'two', 'one']);
    assert.equal(response.headers['x-total'], undefined);
    assert.equal(response.headers['x-next-page'], '');
  });

  test('filters by states and ref', async () => {
    assert.deepEqual(names(await read(path, { 'scope[]': ['failed', 'pending'] })), ['four', 'three', 'two']);
    assert.deepEqual(names(await read(path, { scope: 'success' })), ['one']);
    assert.deepEqual(names(await read(path, { 'scope[]': ['failed', 'failed'] })), ['four', 'two']);
    assert.deepEqual(names(await read(path, { 'scope[]': ['canceled'] })), []);
    assert.deepEqual(names(await read(path, { ref: 'other' })), ['four']);
    const body = await read<Row>(path, { scope: 'done' }, 400);
    assert.equal(body.error, 'scope does not have a valid value');
  });

  test('pages by number and by keyset', async () => {
    const second = await app.get(path, {
      query: { per_page: 3, page: 2, 'scope[]': ['failed', 'success', 'pending'] },
    });
    assert.deepEqual(names(expectStatus(second, 200)), ['one']);
    const jobNames: unknown[] = [];
    let query = '?pagination=keyset&per_page=3&order_by=id&sort=desc';
    for (let pages = 0; query !== '' && pages < 5; pages += 1) {
      const response = await app.get(`${path}${query}`);
      jobNames.push(...names(expectStatus(response, 200)));
      query = /<[^?]*(\?[^>]*)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1] ?? '';
    }
    assert.deepEqual(jobNames, ['four', 'three', 'two', 'one']);
    assert.equal((await read<Row>(path, { pagination: 'keyset', cursor: 'x' }, 400)).error, 'cursor is invalid');
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id/jobs and /bridges', () => {
  test('leave out what was retried, and each other', async () => {
    const downstream = await app.make.project();
    const { pipeline, jobs } = await makePipeline(app, project, {
      jobs: [
        { name: 'a', status: 'failed', columns: { retried: 1 } },
        { name: 'a', status: 'success' },
        { name: 'b', status: 'failed' },
        { name: 'child', kind: 'bridge', status: 'success' },
        {
          name: 'far',
          kind: 'bridge',
          status: 'failed',
          columns: { failure_reason: 'insufficient_bridge_permissions' },
        },
        { name: 'idle', kind: 'bridge' },
      ],
      columns: { sha },
    });
    const path = `/projects/${project.id}/pipelines/${pipeline.id}`;
    assert.deepEqual(names(await read(`${path}/jobs`)), ['b', 'a']);
    assert.deepEqual(names(await read(`${path}/jobs`, { include_retried: true })), ['b', 'a', 'a']);
    assert.deepEqual(names(await read(`${path}/jobs`, { 'scope[]': ['success'] })), ['a']);
    await read(`${path}/jobs`, { scope: 'x' }, 400);

    const started = (of: Project, job: string) =>
      makePipeline(app, of, { jobs: [], columns: { upstream_job_id: jobs[job]!.id, source: 'pipeline' } });
    const child = await started(project, 'child');
    const far = await started(downstream, 'far');
    const bridges = await read(`${path}/bridges`);
    assert.deepEqual(names(bridges), ['idle', 'far', 'child']);
    assert.deepEqual(
      bridges.map(
        ({ downstream_pipeline: downstreamPipeline }) =>
          downstreamPipeline && [(downstreamPipeline as Row).id, (downstreamPipeline as Row).web_url],
      ),
      [
        null,
        [far.pipeline.id, `${app.deps.externalUrl()}/${downstream.full_path}/-/pipelines/${far.pipeline.id}`],
        [child.pipeline.id, `${app.deps.externalUrl()}/${project.full_path}/-/pipelines/${child.pipeline.id}`],
      ],
    );
    assert.deepEqual(names(await read(`${path}/bridges`, { scope: 'success' })), ['child']);
    for (const key of ['artifacts', 'artifacts_file', 'runner', 'runner_manager', 'artifacts_expire_at', 'tag_list']) {
      assert.ok(!(key in bridges[1]!), key);
    }
    assert.equal(bridges[1]!.failure_reason, 'insufficient_bridge_permissions');

    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 30);
    const seen = expectStatus<Row[]>(await app.get(`${path}/bridges`, { token }), 200);
    assert.deepEqual(
      seen.map(({ downstream_pipeline: downstreamPipeline }) => downstreamPipeline === null),
      [true, true, false],
    );
  });
});
