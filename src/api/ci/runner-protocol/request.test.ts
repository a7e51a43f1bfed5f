import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { type MadeJob, makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { LongPoll } from '../../../core/long-polls.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { pendingJobsState, wakeRunners } from '../../../pipelines/runners/pending-jobs.ts';

let app: TestApp;
before(async () => {
  // The clock stands still, so that all requests fall into the same minute.
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());
/** Each test has its own waiting jobs. */
beforeEach(async () => {
  await app.deps.db.deleteFrom('ci_pending_jobs').execute();
  await app.deps.db.updateTable('ci_jobs').set({ status: 'success' }).execute();
});

const pending = (name: string, more: Partial<MadeJob> = {}): MadeJob => ({ name, status: 'pending', ...more });
const jobOf = (id: number) =>
  app.deps.db.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const namesOf = async (runner: FakeRunner): Promise<string[]> => {
  const names: string[] = [];
  for (let job = await runner.request(); job !== undefined; job = await runner.request()) names.push(job.name);
  return names;
};
const runnerOf = (project: Project, json: object = {}) =>
  FakeRunner.make(app, { runner_type: 'project_type', project_id: project.id, ...json });

/** Resolves when the next request of a runner has found no job and waits. */
function nextWaits(t: TestContext): Promise<void> {
  const { longPolls } = app.deps;
  const waits = Promise.withResolvers<void>();
  const wait = longPolls.wait.bind(longPolls);
  t.mock.method(longPolls, 'wait', <T>(request: LongPoll<T>) => {
    const poll = async () => {
      const response = await request.poll();
      if (response === undefined) setImmediate(waits.resolve);
      return response;
    };
    return wait({ ...request, poll });
  });
  return waits.promise;
}

describe('POST /jobs/request', () => {
  test('gives a job that waits to a runner, once, and starts it', async () => {
    const project = await app.make.project();
    const { jobs } = await makePipeline(app, project, { jobs: [pending('one')] });
    const runner = await runnerOf(project);
    const job = await runner.take();
    assert.equal(job.id, jobs.one!.id);
    assert.match(job.response.token, /^glcbt-64_[A-Za-z0-9]{20}$/);
    const row = await jobOf(job.id);
    assert.deepEqual(
      [row.status, row.token_digest, row.timeout, row.timeout_source],
      ['running', tokenDigest(job.response.token), 3600, 2],
    );
    assert.ok(row.runner_id !== null && row.runner_manager_id !== null && row.started_at !== null);
    assert.equal(await runner.request(), undefined);
    const known = await app.deps.db
      .selectFrom('ci_runners')
      .selectAll()
      .where('id', '=', row.runner_id)
      .executeTakeFirstOrThrow();
    assert.equal(known.requested, 1);
  });

  test('jobs that wait with many tags of no runner hide no other', async () => {
    const project = await app.make.project();
    const hiding = Array.from({ length: 1_010 }, (_, index) => pending(`${index}`, { tags: [`a${index}`] }));
    await makePipeline(app, project, { jobs: [...hiding, pending('wanted', { tags: ['docker', 'linux'] })] });
    const runner = await runnerOf(project, { tag_list: ['linux', 'docker', 'x'], run_untagged: false });
    assert.deepEqual(await namesOf(runner), ['wanted']);
  });

  test('never gives one job to two runners that ask at once', async () => {
    const project = await app.make.project();
    await makePipeline(app, project, { jobs: Array.from({ length: 12 }, (_, index) => pending(`job ${index}`)) });
    const runners = await Promise.all(
      Array.from({ length: 16 }, (_, index) => runnerOf(project, { description: `${index}` })),
    );
    const answers = await Promise.all(runners.map((runner) => runner.ask()));
    const ids = answers
      .filter(({ statusCode }) => statusCode === 201)
      .map((response) => response.json<{ id: number }>().id);
    assert.equal(new Set(ids).size, ids.length);
    for (const { statusCode } of answers) assert.ok([201, 204, 409].includes(statusCode), String(statusCode));
    assert.equal(ids.length, 12);
  });

  test('gives jobs to runners that have all of their tags, and those without tags only where that is allowed', async () => {
    const project = await app.make.project();
    const jobs = [
      pending('none'),
      pending('a', { tags: ['a'] }),
      pending('ab', { tags: ['b', 'a'] }),
      pending('c', { tags: ['c'] }),
    ];
    await makePipeline(app, project, { jobs });
    const tagged = await runnerOf(project, { tag_list: ['a', 'b'], run_untagged: false });
    assert.deepEqual(await namesOf(tagged), ['a', 'ab']);
    const open = await runnerOf(project);
    assert.deepEqual(await namesOf(open), ['none']);
    const wide = await runnerOf(project, { tag_list: 'x,c,y' });
    assert.deepEqual(await namesOf(wide), ['c']);
  });

  test('gives runners of protected refs jobs of those alone', async () => {
    const project = await app.make.project();
    await makePipeline(app, project, { jobs: [pending('open'), pending('closed', { columns: { protected: 1 } })] });
    const runner = await runnerOf(project, { access_level: 'ref_protected' });
    assert.deepEqual(await namesOf(runner), ['closed']);
    assert.deepEqual(await namesOf(await runnerOf(project)), ['open']);
  });

  test('gives runners the jobs of their places: projects, a group with all below it, the server', async () => {
    const group = await app.make.group();
    const below = await app.make.project({ namespace: await app.make.group({ parent: group }) });
    const [own, shut] = [await app.make.project({ namespace: group }), await app.make.project({ namespace: group })];
    const elsewhere = await app.make.project();
    for (const [name, project] of Object.entries({ below, own, shut, elsewhere })) {
      await makePipeline(app, project, { jobs: [pending(name)] });
    }
    expectStatus(await app.put(`/projects/${shut.id}`, { json: { group_runners_enabled: false } }), 200);
    expectStatus(await app.put(`/projects/${own.id}`, { json: { shared_runners_enabled: false } }), 200);
    const ofGroup = await FakeRunner.make(app, { runner_type: 'group_type', group_id: group.id });
    assert.equal((await ofGroup.take()).name, 'below');
    assert.deepEqual(await namesOf(ofGroup), ['own']);
    await makePipeline(app, own, { jobs: [pending('own again')] });
    const ofServer = await FakeRunner.make(app);
    assert.deepEqual((await namesOf(ofServer)).sort(), ['elsewhere', 'shut']);
    assert.deepEqual(await namesOf(await runnerOf(own)), ['own again']);
  });

  test('keeps runners of the server from groups that close themselves to them', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: await app.make.group({ parent: group }) });
    await makePipeline(app, project, { jobs: [pending('one')] });
    const json = { shared_runners_setting: 'disabled_and_unoverridable' };
    expectStatus(await app.put(`/groups/${group.id}`, { json }), 200);
    const runner = await FakeRunner.make(app);
    assert.equal(await runner.request(), undefined);
    expectStatus(await app.put(`/groups/${group.id}`, { json: { shared_runners_setting: 'enabled' } }), 200);
    assert.equal((await runner.take()).name, 'one');
  });

  test('lets runners of the server serve projects in turn, all others the oldest job first', async () => {
    const [busy, calm] = [await app.make.project(), await app.make.project()];
    await makePipeline(app, busy, { jobs: [pending('b1'), pending('b2'), pending('b3')] });
    await makePipeline(app, calm, { jobs: [pending('c1'), pending('c2')] });
    assert.deepEqual(await namesOf(await FakeRunner.make(app)), ['b1', 'c1', 'b2', 'c2', 'b3']);
  });

  test('gives a paused runner nothing, and one that is unknown 403', async () => {
    const project = await app.make.project();
    await makePipeline(app, project, { jobs: [pending('one')] });
    const runner = await runnerOf(project, { paused: true });
    const response = await runner.ask();
    assert.equal(response.statusCode, 204);
    assert.ok(runner.lastUpdate);
    const guess = new FakeRunner(app, { token: 'glrt-guess' });
    assert.equal(expectStatus(await guess.ask(), 403).message, '403 Forbidden');
    expectStatus(await app.post('/jobs/request', { token: null, json: {} }), 400);
  });

  test('keeps a runner waiting that knows that there is nothing, until there may be something', async (t) => {
    const project = await app.make.project();
    const runner = await runnerOf(project);
    assert.equal(await runner.request(), undefined);
    const waits = nextWaits(t);
    const waiting = runner.request({ last_update: runner.lastUpdate });
    const first = await Promise.race([waits.then(() => 'waits'), waiting.then(() => 'answered')]);
    assert.equal(first, 'waits');
    await makePipeline(app, project, { jobs: [{ name: 'one' }], process: true });
    assert.equal((await waiting)?.name, 'one');
  });

  test('answers at once where something has changed since the runner last heard', async () => {
    const runner = await runnerOf(await app.make.project());
    await runner.request();
    const before = runner.lastUpdate;
    wakeRunners(app.deps);
    assert.equal(await runner.request({ last_update: before }), undefined);
    assert.notEqual(runner.lastUpdate, before);
    assert.equal(runner.lastUpdate, pendingJobsState(app.deps));
  });

  test('tells a runner that waits and is removed that it is unknown', async (t) => {
    const runner = await runnerOf(await app.make.project());
    await runner.request();
    const waits = nextWaits(t);
    const waiting = runner.ask({ last_update: runner.lastUpdate });
    await waits;
    await app.request('DELETE', '/runners', { token: null, json: { token: runner.token } });
    wakeRunners(app.deps);
    assert.equal((await waiting).statusCode, 403);
  });

  test('is limited for each runner', async () => {
    const runner = await runnerOf(await app.make.project());
    const known = await app.deps.db
      .selectFrom('ci_runners')
      .select('id')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    for (let count = 0; count < 2_000; count += 1) {
      app.deps.limiter.check('runner_jobs_request', String(known.id), { requests: 2_000, periodSeconds: 60 });
    }
    const refused = await runner.ask();
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '60');
  });

  test('holds time limits: that of the job, of the project, of the runner where it is shorter', async () => {
    const project = await app.make.project();
    expectStatus(await app.put(`/projects/${project.id}`, { json: { build_timeout: 5_000 } }), 200);
    const limits = async (json: object) => {
      const { timeout, timeout_source } = await jobOf((await (await runnerOf(project, json)).take()).id);
      return [timeout, timeout_source];
    };
    await makePipeline(app, project, {
      jobs: [pending('a'), pending('b', { options: { timeout: 700 } }), pending('c', { options: { timeout: 9_000 } })],
    });
    assert.deepEqual(await limits({}), [5_000, 2]);
    assert.deepEqual(await limits({ maximum_timeout: 800 }), [700, 4]);
    assert.deepEqual(await limits({ maximum_timeout: 800 }), [800, 3]);
  });
});

describe('a job that cannot run fails instead of being given away', () => {
  const fails = async (project: Project, job: MadeJob, reason: string, runner?: FakeRunner) => {
    const { jobs } = await makePipeline(app, project, {
      jobs: [job, pending('next', { columns: { stage_index: 1 } })],
    });
    const next = await (runner ?? (await runnerOf(project))).request();
    const { status, failure_reason } = await jobOf(jobs[job.name]!.id);
    assert.deepEqual([status, failure_reason], ['failed', reason]);
    return next?.name;
  };

  test('with what the runner is not able to do', async () => {
    const project = await app.make.project();
    const reports = { junit: ['a.xml'] };
    const artifacts = {
      ...{ name: null, paths: null, exclude: [], untracked: false, when: 'on_success' as const, expireIn: null },
      ...{ exposeAs: null, access: 'all' as const, reports, coverageReport: null },
    };
    const runner = await FakeRunner.make(
      app,
      { runner_type: 'project_type', project_id: project.id },
      { features: { refspecs: true } },
    );
    assert.equal(await fails(project, pending('x', { options: { artifacts } }), 'runner_unsupported', runner), 'next');
    const retry = { max: 1, when: null, exitCodes: [3] };
    assert.equal(await fails(project, pending('y', { options: { retry } }), 'runner_unsupported', runner), 'next');
  });

  test('after a job whose artifacts are gone', async () => {
    const project = await app.make.project();
    for (const columns of [
      { erased_at: '2026-01-01T00:00:00.000Z' },
      { artifacts_expire_at: '2026-01-01T00:00:00.000Z' },
    ]) {
      const { jobs } = await makePipeline(app, project, {
        jobs: [{ name: 'build', stage: 'build', status: 'success', columns }, pending('test', { stage: 'test' })],
      });
      assert.equal(await (await runnerOf(project)).request(), undefined);
      assert.equal((await jobOf(jobs.test!.id)).failure_reason, 'missing_dependency_failure');
    }
  });

  test('of a user who is blocked, and in a project without CI/CD', async () => {
    const { user } = await app.make.user();
    const project = await app.make.project();
    await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
    assert.equal(await fails(project, pending('x', { columns: { user_id: user.id } }), 'user_blocked'), 'next');
    const closed = await app.make.project({ columns: { builds_access_level: 'disabled' } });
    assert.equal(await fails(closed, pending('x'), 'builds_disabled'), undefined);
  });

  test('when what it needs to know cannot be read', async () => {
    const project = await app.make.project();
    const { jobs } = await makePipeline(app, project, { jobs: [pending('x')] });
    await app.deps.db
      .updateTable('projects')
      .set({ disk_path: 'gone/for/good' })
      .where('id', '=', project.id)
      .execute();
    assert.equal(await (await runnerOf(project)).request(), undefined);
    assert.equal((await jobOf(jobs.x!.id)).failure_reason, 'scheduler_failure');
  });
});

describe('what a runner is told of its job', () => {
  test('is all that it has to know', async () => {
    const project = await app.make.project();
    const git = new ProjectGit(app, project);
    const sha = git.commit('main', { Gemfile: 'x\n' });
    const blob = git.run(['rev-parse', 'main:Gemfile']);
    const { pipeline, jobs } = await makePipeline(app, project, {
      columns: { sha },
      jobs: [
        { name: 'build', stage: 'build', status: 'success' },
        pending('test', {
          stage: 'test',
          tags: ['a'],
          options: {
            beforeScript: ['one'],
            script: ['two', 'three'],
            afterScript: ['four'],
            image: { name: 'ruby:3', entrypoint: ['/bin/sh'], ports: [], pull_policy: ['always'], executor_opts: {} },
            services: [
              {
                ...{ name: 'postgres:16', entrypoint: null, ports: [], pull_policy: [], executor_opts: {} },
                ...{ alias: 'db', command: null, variables: [{ key: 'A', value: 'b', raw: false }] },
              },
            ],
            artifacts: {
              ...{
                name: 'out',
                paths: ['out/'],
                exclude: ['out/tmp'],
                untracked: true,
                when: 'always',
                expireIn: '1 week',
              },
              ...{ exposeAs: null, access: 'all', reports: { junit: ['a.xml'], dotenv: ['b.env'] } },
              coverageReport: { format: 'cobertura', path: 'c.xml' },
            },
            cache: [
              {
                ...{ key: 'k', paths: ['v/'], untracked: false, policy: 'pull-push', when: 'on_success' },
                ...{ unprotect: false, fallbackKeys: ['old'] },
              },
              {
                ...{ key: { files: ['Gemfile'], filesCommits: false, prefix: null }, paths: ['w/'], untracked: false },
                ...{ policy: 'pull', when: 'always', unprotect: true, fallbackKeys: [] },
              },
            ],
            hooks: { preGetSourcesScript: ['five'] },
            timeout: 700,
          },
        }),
      ],
    });
    await app.deps.db
      .insertInto('ci_job_artifacts')
      .values({
        ...{ job_id: jobs.build!.id, project_id: project.id, file_type: 'archive', file_format: 'zip' },
        ...{ filename: 'a.zip', size: 10, sha256: 'x', accessibility: 'all', created_at: pipeline.created_at },
      })
      .execute();
    const job = await (await runnerOf(project, { tag_list: ['a', 'b'], description: 'Mine' })).take();
    const { response: input } = job;
    const { id, token, job_info, git_info, variables, features, cache, ...rest } = input;
    const shared = [input.image, input.services];
    assert.deepEqual(shared, [
      { name: 'ruby:3', entrypoint: ['/bin/sh'], ports: [], executor_opts: {}, pull_policy: ['always'] },
      [
        {
          ...{ name: 'postgres:16', entrypoint: null, ports: [], executor_opts: {}, pull_policy: [] },
          ...{ alias: 'db', command: null, variables: [{ key: 'A', value: 'b' }] },
        },
      ],
    ]);
    assert.equal(input.run, undefined);
    assert.equal(id, jobs.test!.id);
    const { time_in_queue_seconds, instance_id, instance_uuid, ...info } = job_info;
    assert.ok(Number.isInteger(time_in_queue_seconds));
    assert.match(String(instance_uuid), /^[0-9a-f-]{36}$/);
    assert.equal(instance_id, instance_uuid);
    assert.deepEqual(info, {
      ...{ id, name: 'test', stage: 'test', project_id: project.id, project_name: project.path },
      ...{ project_full_path: project.full_path, pipeline_id: pipeline.id, namespace_id: project.namespace_id },
      ...{ root_namespace_id: project.namespace_id, organization_id: 1, user_id: 1, scoped_user_id: null },
      ...{ project_jobs_running_on_instance_runners_count: '+Inf', queue_size: 1, queue_depth: 0 },
    });
    const address = new URL(git_info.repo_url);
    assert.deepEqual([address.username, address.password], ['gitlab-ci-token', token]);
    assert.deepEqual(
      { ...git_info, repo_url: address.pathname },
      {
        ...{ repo_url: `/${project.full_path}.git`, ref: 'main', sha, before_sha: '0'.repeat(40), ref_type: 'branch' },
        refspecs: [
          `+refs/pipelines/${pipeline.id}:refs/pipelines/${pipeline.id}`,
          '+refs/heads/main:refs/remotes/origin/main',
        ],
        ...{ depth: 20, repo_object_format: 'sha1', protected: false },
      },
    );
    assert.equal(git.run(['rev-parse', `refs/pipelines/${pipeline.id}`]), sha);
    assert.equal(job.variable('CI_JOB_TOKEN'), token);
    assert.equal(job.variable('CI_RUNNER_DESCRIPTION'), 'Mine');
    const secret = variables.find(({ key }) => key === 'CI_JOB_TOKEN');
    assert.deepEqual([secret?.masked, secret?.public], [true, false]);
    const digest = (await import('node:crypto')).hash('sha1', blob);
    assert.deepEqual(cache, [
      {
        ...{ key: 'k-protected', untracked: false, paths: ['v/'], policy: 'pull-push', when: 'on_success' },
        fallback_keys: ['old-protected'],
      },
      {
        key: `1_Gemfile-${digest}`,
        untracked: false,
        paths: ['w/'],
        policy: 'pull',
        when: 'always',
        fallback_keys: [],
      },
    ]);
    assert.ok((features as { failure_reasons: string[] }).failure_reasons.includes('script_failure'));
    const { image: _image, services: _services, ...others } = rest;
    assert.deepEqual(others, {
      allow_git_fetch: true,
      runner_info: { timeout: 700, runner_session_url: null },
      inputs: [],
      steps: [
        { name: 'script', script: ['one', 'two', 'three'], timeout: 700, when: 'on_success', allow_failure: false },
        { name: 'after_script', script: ['four'], timeout: 700, when: 'always', allow_failure: true },
      ],
      hooks: [{ name: 'pre_get_sources_script', script: ['five'] }],
      artifacts: [
        {
          ...{
            name: 'out',
            untracked: true,
            paths: ['out/'],
            exclude: ['out/tmp'],
            when: 'always',
            expire_in: '1 week',
          },
          ...{ artifact_type: 'archive', artifact_format: 'zip' },
        },
        {
          ...{ name: 'junit.xml', paths: ['a.xml'], when: 'always', expire_in: '1 week' },
          ...{ artifact_type: 'junit', artifact_format: 'gzip' },
        },
        {
          ...{ name: '.env', paths: ['b.env'], when: 'always', expire_in: '1 week' },
          ...{ artifact_type: 'dotenv', artifact_format: 'gzip' },
        },
        {
          ...{ name: 'cobertura-coverage.xml', paths: ['c.xml'], when: 'always', expire_in: '1 week' },
          ...{ artifact_type: 'cobertura', artifact_format: 'gzip' },
        },
      ],
      credentials: [],
      dependencies: [{ id: jobs.build!.id, name: 'build', token, artifacts_file: { filename: 'a.zip', size: 10 } }],
    });
  });

  test('says what is fetched of tags, merge requests and whole histories', async () => {
    const project = await app.make.project();
    const sha = new ProjectGit(app, project).commit('main', { a: '1' });
    const runner = await runnerOf(project);
    await makePipeline(app, project, { columns: { sha, ref: 'v1', tag: 1 }, jobs: [pending('tag')] });
    const tag = (await runner.take()).response.git_info;
    assert.deepEqual([tag.ref_type, tag.refspecs[1]], ['tag', '+refs/tags/v1:refs/tags/v1']);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { ci_default_git_depth: 0 } }), 200);
    await makePipeline(app, project, { columns: { sha }, jobs: [pending('all')] });
    const all = (await runner.take()).response.git_info;
    assert.deepEqual(all.refspecs.slice(1), ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']);
    assert.equal(all.depth, 0);
  });

  test('is `run` in the place of steps, where the job is written so', async () => {
    const project = await app.make.project();
    await makePipeline(app, project, { jobs: [pending('x', { options: { run: [{ name: 'a', script: 'b' }] } })] });
    const { response: input } = await (await runnerOf(project)).take();
    assert.equal(input.steps, undefined);
    assert.equal(input.run, '[{"name":"a","script":"b"}]');
  });

  test('counts the jobs of the project on runners of the server, for one of those', async () => {
    const project = await app.make.project();
    await makePipeline(app, project, { jobs: [pending('a'), pending('b')] });
    const runner = await FakeRunner.make(app);
    const counts = [await runner.take(), await runner.take()].map(
      ({ response: input }) => input.job_info.project_jobs_running_on_instance_runners_count,
    );
    assert.deepEqual(counts, ['1', '2']);
  });
});
