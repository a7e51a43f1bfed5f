import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { beforeTransaction } from '../../../test/support/meanwhile.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { makePipeline } from '../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { createPipeline } from '../creation/pipeline-creation.create.ts';
import { destroyPipeline } from '../removal/pipeline-removal.destroy.ts';
import { cancelPipeline } from '../states/cancel.ts';
import { finishJob } from '../states/finish-job.ts';
import { retryJob } from '../states/pipeline-states.retry.ts';
import { runBridge } from './run-bridge.ts';

let app: TestApp;
let pipelines: Pipelines;
let project: Project;
let upstream: Project;
before(async () => {
  app = await buildTestApp();
  pipelines = new Pipelines(app);
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  upstream = await app.make.project();
  new ProjectGit(app, upstream).commit('main', { 'README.md': 'x\n' });
  const config = `wait:\n  stage: build\n  needs: {pipeline: ${upstream.full_path}}\nafter:\n  script: x\n`;
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': config });
});

const above = () => makePipeline(app, upstream, { jobs: [{ name: 'a' }], process: true });
async function follow(): Promise<number> {
  const { pipeline } = await createPipeline(app.deps, { projectId: project.id, source: 'api', userId: 1, ref: 'main' });
  await app.drain();
  return pipeline!.id;
}
const open = async () =>
  (await app.deps.db.selectFrom('jobs').select('kind').where('project_id', '=', project.id).execute()).map(
    ({ kind }) => kind,
  );

describe('a bridge that waits for a pipeline of another project', () => {
  it('takes over how that ends, when it does, and asks for nothing until then', async () => {
    for (const [reason, states] of [
      [null, 'running: wait success, after pending'],
      ['script_failure', 'failed: wait failed, after skipped'],
    ] as const) {
      const { pipeline } = await above();
      const id = await follow();
      await pipelines.start(pipeline.id, 'a');
      await app.drain();
      assert.equal(await pipelines.states(id), 'running: wait running, after created');
      assert.deepEqual(await open(), []);
      // One that came later is none of its business.
      const later = await above();
      await pipelines.run(later.pipeline.id, 'a', reason === null ? 'script_failure' : null);
      await app.drain();
      assert.equal(await pipelines.states(id), 'running: wait running, after created');
      const end =
        reason === null ? { status: 'success' as const } : { status: 'failed' as const, failureReason: reason };
      await finishJob(app.deps, (await pipelines.job(pipeline.id, 'a')).id, end);
      await app.drain();
      assert.equal(await pipelines.states(id), states);
    }
  });

  it('misses no end that comes while it begins', async () => {
    const { pipeline } = await above();
    const made = await createPipeline(app.deps, { projectId: project.id, source: 'api', userId: 1, ref: 'main' });
    const { id } = await pipelines.job(made.pipeline!.id, 'wait');
    // The first transaction has the bridge begin, the second reads how the other pipeline goes.
    beforeTransaction(app, async () => {
      queueMicrotask(() => beforeTransaction(app, () => pipelines.run(pipeline.id, 'a')));
    });
    await runBridge(app.deps, id);
    await app.drain();
    assert.equal(await pipelines.states(made.pipeline!.id), 'running: wait success, after pending');
  });

  it('goes on at once where that is over, or there is none; run again it follows the newest', async () => {
    const id = await follow();
    assert.equal(await pipelines.states(id), 'running: wait success, after pending');
    const { pipeline } = await above();
    await retryJob(app.deps, (await pipelines.job(id, 'wait')).id, { userId: 1 });
    await app.drain();
    assert.equal((await pipelines.job(id, 'wait')).status, 'running');
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    await app.drain();
    assert.equal((await pipelines.job(id, 'wait')).status, 'failed');
    await above();
    await retryJob(app.deps, (await pipelines.job(id, 'wait')).id, { userId: 1 });
    await app.drain();
    assert.equal((await pipelines.job(id, 'wait')).status, 'running');
  });

  it('follows the default branch, not a tag of the same name', async () => {
    await makePipeline(app, upstream, { jobs: [{ name: 'a', status: 'failed' }], columns: { tag: 1 } });
    const id = await follow();
    assert.equal(await pipelines.states(id), 'running: wait success, after pending');
  });

  it('ends where that is canceled, or removed while its runner brings it to an end', async () => {
    const first = await above();
    const canceled = await follow();
    await cancelPipeline(app.deps, first.pipeline.id);
    await app.drain();
    assert.equal(await pipelines.states(canceled), 'canceled: wait canceled, after skipped');
    const second = await makePipeline(app, upstream, { jobs: [{ name: 'a', status: 'canceling' }], process: true });
    const removed = await follow();
    assert.equal(await pipelines.states(removed), 'running: wait running, after created');
    await destroyPipeline(app.deps, second.pipeline.id);
    await app.drain();
    assert.equal(await pipelines.states(removed), 'canceled: wait canceled, after skipped');
  });

  it('fails where the project of that goes', async () => {
    await above();
    const id = await follow();
    assert.equal(await pipelines.states(id), 'running: wait running, after created');
    expectStatus(await app.delete(`/projects/${upstream.id}`), 202);
    await app.drain();
    assert.equal((await pipelines.job(id, 'wait')).failure_reason, 'upstream_bridge_project_not_found');
  });
});
