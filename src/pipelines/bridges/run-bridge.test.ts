import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { beforeTransaction } from '../../../test/support/meanwhile.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../../test/support/settings.ts';
import { zipOf } from '../../../test/support/zip.ts';
import { storedText } from '../../core/stored-secret.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { createPipeline } from '../creation/pipeline-creation.create.ts';
import type { PipelineRequest } from '../creation/pipeline-creation.request.ts';
import { cancelPipeline } from '../states/cancel.ts';
import { finishJob } from '../states/finish-job.ts';
import { retryJob } from '../states/pipeline-states.retry.ts';
import { openedVariable } from '../variables/at-rest.ts';
import { runBridge } from './run-bridge.ts';

let app: TestApp;
let pipelines: Pipelines;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp();
  pipelines = new Pipelines(app);
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
});

const TWO = 'build-it:\n  stage: build\n  script: make\ntest-it:\n  script: make test\n';
const configure = (content: string, branch = 'main', message?: string) =>
  git.commit(branch, { '.gitlab-ci.yml': content }, message === undefined ? {} : { message });
const create = (request: Partial<PipelineRequest> = {}) =>
  createPipeline(app.deps, { projectId: project.id, source: 'api', userId: 1, ref: 'main', ...request });
const all = () =>
  app.deps.db.selectFrom('pipelines').selectAll().where('project_id', '=', project.id).orderBy('id').execute();
describe('bridges', () => {
  const CHILD = 'trigger: {include: child.yml';
  it('start child pipelines and take over how they go', async () => {
    git.commit('main', {
      '.gitlab-ci.yml': `go:\n  stage: build\n  variables: {A: "1 $CI_COMMIT_REF_NAME"}\n  ${CHILD}, strategy: depend}\nafter:\n  script: x\n`,
      'child.yml': 'inner:\n  script: x\n  rules: [{if: $CI_PIPELINE_SOURCE == "parent_pipeline"}]\n',
    });
    const { pipeline } = await create();
    await app.drain();
    const child = (await all()).at(-1)!;
    assert.deepEqual([child.source, child.parent_id, child.ref], ['parent_pipeline', pipeline!.id, 'main']);
    assert.equal(await pipelines.states(pipeline!.id), 'running: go running, after created');
    const [input] = await app.deps.db
      .selectFrom('ci_pipeline_variables')
      .selectAll()
      .where('pipeline_id', '=', child.id)
      .execute();
    assert.deepEqual([input!.key, openedVariable(app.deps, 'ci_pipeline_variables', input!).value], ['A', '1 main']);
    await pipelines.run(child.id, 'inner', 'script_failure');
    await app.drain();
    assert.equal(await pipelines.states(pipeline!.id), 'failed: go failed, after skipped');
  });

  it('start what a job before them has written, with what it reported', async () => {
    configure(
      [
        'write:',
        '  stage: build',
        '  script: x',
        'go:',
        '  trigger:',
        '    include: [{artifact: out/child.yml, job: write}]',
        '    forward: {pipeline_variables: true}',
        '',
      ].join('\n'),
    );
    for (const [path, state] of [
      ['out/child.yml', 'success'],
      ['other.yml', 'failed'],
    ] as const) {
      const { pipeline } = await create({ variables: [{ key: 'GIVEN', value: 'g', variable_type: 'env_var' }] });
      const job = await pipelines.start(pipeline!.id, 'write');
      const blob = await app.deps.blobs.put(Readable.from([await zipOf({ [path]: 'inner:\n  script: x\n' })]), {
        maxBytes: 10_000,
      });
      await app.deps.db
        .insertInto('ci_job_artifacts')
        .values({
          ...{ job_id: job.id, project_id: project.id, file_type: 'archive', file_format: 'zip', filename: 'a.zip' },
          ...{ size: blob.size, sha256: blob.sha256, accessibility: 'all', created_at: job.created_at },
        })
        .execute();
      await app.deps.db
        .insertInto('ci_job_variables')
        .values({ job_id: job.id, key: 'SAID', value: storedText('s'), source: 'dotenv' })
        .execute();
      await finishJob(app.deps, job.id, { status: 'success' });
      await app.drain();
      const bridge = await pipelines.job(pipeline!.id, 'go');
      assert.equal(bridge.status, state);
      if (state === 'failed') {
        assert.match(bridge.description!, /does not exist inside the `write` artifacts archive/);
        continue;
      }
      const child = (await all()).at(-1)!;
      assert.equal(await pipelines.states(child.id), 'pending: inner pending');
      const input = await app.deps.db
        .selectFrom('ci_pipeline_variables')
        .select('key')
        .where('pipeline_id', '=', child.id)
        .orderBy('key')
        .execute();
      assert.deepEqual(
        input.map(({ key }) => key),
        ['GIVEN', 'SAID'],
      );
    }
  });

  it('are done as soon as the other pipeline is there, without a strategy', async () => {
    const other = await app.make.project();
    new ProjectGit(app, other).commit('main', { '.gitlab-ci.yml': TWO });
    configure(`go:\n  trigger: ${other.full_path}\n`);
    const { pipeline } = await create();
    await app.drain();
    assert.equal(await pipelines.states(pipeline!.id), 'success: go success');
    const [made] = await app.deps.db.selectFrom('pipelines').selectAll().where('project_id', '=', other.id).execute();
    assert.deepEqual([made!.source, made!.upstream_pipeline_id, made!.parent_id], ['pipeline', pipeline!.id, null]);
  });

  it('fail for the reason why they start nothing', async () => {
    const hidden = await app.make.project({ owner: (await app.make.user()).user });
    const { user } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const open = await app.make.project({ visibility: 'public' });
    const broken = await app.make.project();
    await app.make.member({ project: broken }, user, 40);
    new ProjectGit(app, broken).commit('main', { '.gitlab-ci.yml': 'a: 1\n' });
    for (const [trigger, reason] of [
      ['no/such', 'downstream_bridge_project_not_found'],
      [hidden.full_path, 'downstream_bridge_project_not_found'],
      [project.full_path, 'invalid_bridge_trigger'],
      [open.full_path, 'insufficient_bridge_permissions'],
      [broken.full_path, 'downstream_pipeline_creation_failed'],
    ] as const) {
      configure(`go:\n  trigger: ${trigger}\n`);
      const { pipeline } = await create({ userId: user.id });
      await app.drain();
      assert.equal((await pipelines.job(pipeline!.id, 'go')).failure_reason, reason, trigger);
      assert.equal((await pipelines.get(pipeline!.id)).status, 'failed');
    }
  });

  it('leave nothing behind that was started while their pipeline was canceled', async () => {
    git.commit('main', {
      '.gitlab-ci.yml': `go:\n  ${CHILD}, strategy: depend}\n`,
      'child.yml': 'inner:\n  script: x\n',
    });
    const { pipeline } = await create();
    const { id } = await pipelines.job(pipeline!.id, 'go');
    // The first transaction has the bridge begin, the second enters the child.
    beforeTransaction(app, async () => {
      queueMicrotask(() => beforeTransaction(app, () => cancelPipeline(app.deps, pipeline!.id)));
    });
    await runBridge(app.deps, id);
    await app.drain();
    assert.equal(await pipelines.states(pipeline!.id), 'canceled: go canceled');
    const child = (await all()).at(-1)!;
    assert.equal(child.parent_id, pipeline!.id);
    assert.equal(await pipelines.states(child.id), 'canceled: inner canceled');
  });

  it('go down two generations and no further', async () => {
    git.commit('main', { '.gitlab-ci.yml': `go:\n  ${CHILD}}\n`, 'child.yml': `go:\n  ${CHILD}}\n` });
    await create();
    await app.drain();
    const made = await all();
    assert.equal(made.length, 3);
    assert.equal((await pipelines.job(made[2]!.id, 'go')).failure_reason, 'reached_max_descendant_pipelines_depth');
  });

  it('end where projects start one another in a circle', async () => {
    const other = await app.make.project();
    new ProjectGit(app, other).commit('main', { '.gitlab-ci.yml': `go:\n  trigger: ${project.full_path}\n` });
    configure(`go:\n  trigger: ${other.full_path}\n`);
    await create();
    await app.drain();
    const jobs = await app.deps.db
      .selectFrom('ci_jobs')
      .select(['failure_reason'])
      .where('project_id', 'in', [project.id, other.id])
      .where('failure_reason', 'is not', null)
      .execute();
    assert.deepEqual(
      jobs.map(({ failure_reason }) => failure_reason),
      ['pipeline_loop_detected'],
    );
  });

  it('start so many in a minute for a commit and a user, and no more', async (t) => {
    t.after(() => resetSettings(app));
    await changeSettings(app, { downstream_pipeline_trigger_limit_per_project_user_sha: 2 });
    git.commit('main', {
      '.gitlab-ci.yml': `one:\n  ${CHILD}}\ntwo:\n  ${CHILD}}\nthree:\n  ${CHILD}}\n`,
      'child.yml': 'inner:\n  script: x\n',
    });
    const { pipeline } = await create();
    await app.drain();
    const ended = await Promise.all(['one', 'two', 'three'].map((name) => pipelines.job(pipeline!.id, name)));
    assert.deepEqual(ended.map(({ status }) => status).sort(), ['failed', 'success', 'success']);
    assert.equal(
      ended.find(({ status }) => status === 'failed')!.failure_reason,
      'reached_downstream_pipeline_trigger_rate_limit',
    );
    // Another commit is counted by itself.
    git.commit('main', { 'other.txt': 'x' });
    const later = (await create()).pipeline!;
    await app.drain();
    assert.equal((await pipelines.job(later.id, 'one')).status, 'success');
  });

  it('start nothing more where a thousand hang together, whoever started them', async () => {
    git.commit('main', { '.gitlab-ci.yml': `go:\n  ${CHILD}}\n`, 'child.yml': 'inner:\n  script: x\n' });
    const { pipeline } = await create();
    const { id: upstream_pipeline_id, ...like } = pipeline!;
    for (const from of [1000, 1500]) {
      const rows = Array.from({ length: 500 }, (_, n) => ({ ...like, upstream_pipeline_id, iid: from + n }));
      await app.deps.db
        .insertInto('pipelines')
        .values(from === 1000 ? rows : rows.slice(1))
        .execute();
    }
    await app.drain();
    assert.equal((await pipelines.job(pipeline!.id, 'go')).failure_reason, 'reached_max_pipeline_hierarchy_size');
  });

  it('wait again when what they started is retried', async () => {
    git.commit('main', {
      '.gitlab-ci.yml': `go:\n  ${CHILD}, strategy: depend}\nafter:\n  stage: deploy\n  script: x\n`,
      'child.yml': 'inner:\n  script: x\n',
    });
    const { pipeline } = await create();
    await app.drain();
    const child = (await all()).at(-1)!;
    await pipelines.run(child.id, 'inner', 'script_failure');
    await app.drain();
    const { id } = await pipelines.job(child.id, 'inner');
    await retryJob(app.deps, id, { userId: 1 });
    await app.drain();
    assert.equal(await pipelines.states(pipeline!.id), 'running: go running, after created');
    await pipelines.run(child.id, 'inner');
    await app.drain();
    assert.equal(await pipelines.states(pipeline!.id), 'running: go success, after pending');
  });
});
