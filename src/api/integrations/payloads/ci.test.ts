import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import {
  payloadsOf,
  projectShown,
  ROOT_SHOWN,
  repositoryShown,
  type SentPayloads,
  sentPayloadsOf,
} from '../../../../test/support/payloads.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Trigger } from './hook-events.table.ts';
import { hookSource } from './hook-events.ts';
import { timesOf } from './jobs.payload.ts';
import { sampleEvent } from './sample.ts';

type Payload = Record<string, unknown>;
interface Build {
  name: string;
  status: string;
  runner: { id: number } | null;
  environment: unknown;
}

let app: TestApp;
let runner: FakeRunner;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
  runner = await FakeRunner.make(app);
});
after(() => app.close());

const CONFIG = `
stages: [build, deploy]
build: {stage: build, script: make}
deploy: {stage: deploy, script: ship, environment: {name: prod, url: "https://prod.example", deployment_tier: production}}
`;

/** A project whose push created a pipeline, and the payloads sent until it has finished. */
async function piped() {
  const project = await app.make.project();
  let sha = '';
  const sent = await sentPayloadsOf(
    app,
    async () => {
      ({ id: sha } = await commitFiles(app, project.id, { '.gitlab-ci.yml': CONFIG }, { commit_message: 'Configure' }));
      await app.drain();
      for (let at = 0; at < 2; at += 1) {
        clock.advance(2_000);
        const job = await runner.take();
        clock.advance(10_000);
        await job.finish();
        await app.drain();
      }
    },
    true,
  );
  return { project, sha, sent };
}

const statuses = (sent: SentPayloads, trigger: Trigger, name: string) =>
  payloadsOf(sent, trigger).map((payload) => (payload[name] ?? (payload.object_attributes as Payload)[name]) as string);

test('jobs, pipelines and deployments are told in each of their states', async () => {
  const { project, sha, sent } = await piped();
  const shown = projectShown(app, { ...project, namespace: 'Administrator' });
  const { homepage: _, url: __, ssh_url: ___, http_url: ____, ...short } = shown;
  const builds = payloadsOf<Payload & { build_name: string; build_status: string }>(sent, 'job');
  const of = (name: string) => builds.filter(({ build_name }) => build_name === name);
  assert.deepEqual(
    ['build', 'deploy'].map((name) => of(name).map(({ build_status }) => build_status)),
    [
      ['created', 'pending', 'running', 'success'],
      ['created', 'pending', 'running', 'success'],
    ],
  );
  const running = of('build')[2]!;
  const { build_id, pipeline_id, commit, runner: by, build_created_at, build_started_at, ...rest } = running;
  assert.deepEqual(
    { ...(by as Payload), description: null, tags: [] },
    {
      id: (by as Payload).id,
      description: null,
      runner_type: 'instance_type',
      active: true,
      is_shared: true,
      tags: [],
    },
  );
  assert.equal(Date.parse(String(build_started_at)) - Date.parse(String(build_created_at)), 2_000);
  assert.deepEqual(
    [(commit as Payload).id, (commit as Payload).sha, (commit as Payload).message, (commit as Payload).author_url],
    [pipeline_id, sha, 'Configure', `${app.deps.externalUrl()}/root`],
  );
  assert.ok(Number.isInteger(build_id));
  assert.deepEqual(rest, {
    object_kind: 'build',
    ref: 'main',
    tag: false,
    before_sha: '0'.repeat(40),
    sha,
    retries_count: 0,
    build_name: 'build',
    build_stage: 'build',
    build_status: 'running',
    build_created_at_iso: `${String(build_created_at).slice(0, 19)}Z`,
    build_started_at_iso: `${String(build_started_at).slice(0, 19)}Z`,
    build_finished_at: null,
    build_finished_at_iso: null,
    build_duration: 0,
    build_queued_duration: 2,
    build_allow_failure: false,
    build_failure_reason: 'unknown_failure',
    project_id: project.id,
    project_name: `Administrator / ${project.name}`,
    user: ROOT_SHOWN,
    repository: {
      ...repositoryShown(app, project),
      git_http_url: shown.http_url,
      git_ssh_url: shown.ssh_url,
      visibility_level: 0,
    },
    project: short,
    environment: null,
  });
  assert.deepEqual(of('deploy')[3]!.environment, {
    name: 'prod',
    action: 'start',
    deployment_tier: 'production',
  });
  assert.deepEqual(statuses(sent, 'deployment', 'status'), ['running', 'success']);
});

test('a pipeline is told with its stages, commit and jobs', async () => {
  const { project, sha, sent } = await piped();
  const states = statuses(sent, 'pipeline', 'status');
  assert.deepEqual([states[0], states.includes('running'), states.at(-1)], ['pending', true, 'success']);
  const last = payloadsOf(sent, 'pipeline').at(-1)! as Payload;
  const { object_attributes, commit, builds, project: shown, ...rest } = last;
  assert.deepEqual(rest, { object_kind: 'pipeline', merge_request: null, user: ROOT_SHOWN });
  assert.equal((shown as Payload).id, project.id);
  assert.deepEqual([(commit as Payload).id, (commit as Payload).title], [sha, 'Configure']);
  const { id, created_at, finished_at, queued_duration, ...attributes } = object_attributes as Payload;
  assert.match(String(created_at), /^2026-06-15 12:\d\d:\d\d UTC$/);
  assert.match(String(finished_at), /^2026-06-15 12:\d\d:\d\d UTC$/);
  assert.ok(Number(queued_duration) >= 0);
  assert.deepEqual(attributes, {
    iid: 1,
    name: null,
    ref: 'main',
    tag: false,
    sha,
    before_sha: '0'.repeat(40),
    source: 'push',
    status: 'success',
    detailed_status: 'passed',
    stages: ['build', 'deploy'],
    duration: 20,
    protected_ref: true,
    variables: [],
    url: `${app.deps.externalUrl()}/${project.full_path}/-/pipelines/${id}`,
  });
  assert.deepEqual(
    (builds as Build[]).map(({ name, status, environment }) => [name, status, environment !== null]),
    [
      ['build', 'success', false],
      ['deploy', 'success', true],
    ],
  );
});

test('a deployment is told with its environment, job and commit', async () => {
  const { project, sha, sent } = await piped();
  const [payload] = payloadsOf<Payload>(sent, 'deployment');
  const { deployment_id, deployable_id, status_changed_at, ...rest } = payload!;
  assert.ok(Number.isInteger(deployment_id));
  assert.match(String(status_changed_at), /^2026-06-15 12:\d\d:\d\d \+0000$/);
  const base = app.deps.externalUrl();
  assert.deepEqual(rest, {
    object_kind: 'deployment',
    status: 'running',
    deployable_url: `${base}/${project.full_path}/-/jobs/${deployable_id}`,
    environment: 'prod',
    environment_tier: 'production',
    environment_slug: 'prod',
    environment_external_url: 'https://prod.example',
    project: projectShown(app, { ...project, namespace: 'Administrator' }),
    ref: 'main',
    short_sha: sha.slice(0, 8),
    user: ROOT_SHOWN,
    user_url: `${base}/root`,
    commit_url: `${base}/${project.full_path}/-/commit/${sha}`,
    commit_title: 'Configure',
  });
});

test('what a job did later is not told of its earlier states', async () => {
  const { sent } = await piped();
  const [created] = payloadsOf<Payload>(sent, 'job');
  assert.deepEqual(
    [created!.build_status, created!.build_started_at, created!.build_finished_at, created!.runner],
    ['created', null, null, null],
  );
  const pending = payloadsOf(sent, 'pipeline')[0]! as Payload;
  assert.deepEqual((pending.object_attributes as Payload).duration, null);
});

test('jobs and pipelines of blocked users are told to nobody', async () => {
  const { project } = await piped();
  const { user } = await app.make.user({ columns: { state: 'blocked' } });
  const { db } = app.deps;
  await db.updateTable('ci_jobs').set({ user_id: user.id }).where('project_id', '=', project.id).execute();
  await db.updateTable('pipelines').set({ user_id: user.id }).where('project_id', '=', project.id).execute();
  const rows = await db
    .selectFrom('domain_events')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('type', 'in', ['job.updated', 'pipeline.updated'])
    .execute();
  assert.ok(rows.length > 0);
  for (const row of rows) {
    const type = row.type as 'job.updated' | 'pipeline.updated';
    assert.deepEqual(await hookSource.hookEventsOf(app.deps, { ...row, type, payload: JSON.parse(row.payload) }), []);
  }
});

test('tests of hooks take the last job, pipeline and deployment', async () => {
  const { project } = await piped();
  const empty = await app.make.project();
  for (const [trigger, words] of [
    ['job', 'Ensure the project has CI jobs.'],
    ['pipeline', 'Ensure the project has CI pipelines.'],
    ['deployment', 'Ensure the project has deployments.'],
  ] as const) {
    assert.equal((await sampleEvent(app.deps, { projectId: project.id }, trigger, 1)).trigger, trigger);
    await assert.rejects(sampleEvent(app.deps, { projectId: empty.id }, trigger, 1), { status: 422, message: words });
  }
});

test('how long a job waited does not grow once it is over', () => {
  const waited = (status: string, finished_at: string | null) => {
    const job = { status, queued_at: '2026-06-15T12:00:00.000Z', started_at: null, finished_at } as CiJob;
    return timesOf(job, '2026-06-15T13:00:00.000Z');
  };
  assert.deepEqual(waited('pending', null), { duration: null, queued_duration: 3_600 });
  assert.deepEqual(waited('canceled', '2026-06-15T12:00:05.000Z'), { duration: null, queued_duration: 5 });
  assert.deepEqual(waited('skipped', null), { duration: null, queued_duration: null });
});
