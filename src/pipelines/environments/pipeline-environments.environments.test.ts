import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { makeMergeRequest } from '../../../test/support/merge-request.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { storedText } from '../../core/stored-secret.ts';
import type { Environment } from '../../db/tables/environments.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { createPipeline } from '../creation/pipeline-creation.create.ts';

const clock = new TestClock();
let app: TestApp;
let pipelines: Pipelines;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp({ clock });
  pipelines = new Pipelines(app);
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
});

const REVIEW = [
  'deploy:',
  '  script: x',
  '  environment:',
  '    name: review/$CI_COMMIT_REF_SLUG',
  '    url: https://$CI_ENVIRONMENT_SLUG.example.com/$PLACE',
  '    on_stop: stop',
  '    auto_stop_in: 1 day',
  'stop:',
  '  script: x',
  '  when: manual',
  '  environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}',
  '',
].join('\n');

async function deployed(config = REVIEW): Promise<Pipeline> {
  git.commit('main', { a: '1' });
  git.commit('topic', { '.gitlab-ci.yml': config }, { start: git.run(['rev-parse', 'main']) });
  const request = { projectId: project.id, source: 'api', userId: 1, ref: 'topic' } as const;
  const { pipeline, texts } = await createPipeline(app.deps, request);
  assert.ok(pipeline !== null, texts.join());
  const job = await pipelines.job(pipeline.id, 'deploy');
  await app.deps.db
    .insertInto('ci_job_variables')
    .values({ job_id: job.id, key: 'PLACE', value: storedText('here'), source: 'dotenv' })
    .execute();
  await pipelines.run(pipeline.id, 'deploy');
  await app.drain();
  return pipeline;
}
const environment = (): Promise<Environment> =>
  app.deps.db.selectFrom('environments').selectAll().where('project_id', '=', project.id).executeTakeFirstOrThrow();
async function pass(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await app.deps.jobs.maintain();
  await app.drain();
}

it('a job that deployed tells where, and for how long', async () => {
  await deployed();
  const { name, slug, state, external_url, auto_stop_at } = await environment();
  assert.deepEqual([name, state], ['review/topic', 'available']);
  assert.equal(external_url, `https://${slug}.example.com/here`);
  assert.equal(auto_stop_at, new Date(clock.now().getTime() + 86_400_000).toISOString());
});

it('an environment is stopped by the job that it names when its time is over', async () => {
  const pipeline = await deployed();
  await pass(86_400_000 - 60_000);
  assert.equal((await environment()).state, 'available');
  await pass(120_000);
  assert.equal((await environment()).state, 'stopping');
  assert.equal((await pipelines.job(pipeline.id, 'stop')).status, 'pending');
  await pipelines.run(pipeline.id, 'stop');
  await app.drain();
  const { state, auto_stop_at } = await environment();
  assert.deepEqual([state, auto_stop_at], ['stopped', null]);
});

it('an environment goes with the branch that was deployed to it', async () => {
  const pipeline = await deployed();
  expectStatus(await app.delete(`/projects/${project.id}/repository/branches/topic`), 204);
  await app.drain();
  assert.equal((await environment()).state, 'stopping');
  assert.equal((await pipelines.job(pipeline.id, 'stop')).user_id, 1);
});

it('an environment without such a job is stopped at once, unless it wants one', async () => {
  const plain = 'deploy:\n  script: x\n  environment: {name: e, auto_stop_in: 1 hour}\n';
  await deployed(plain);
  await pass(3_700_000);
  assert.equal((await environment()).state, 'stopped');
  project = await app.make.project();
  git = new ProjectGit(app, project);
  await deployed(plain);
  await app.deps.db
    .updateTable('environments')
    .set({ auto_stop_setting: 'with_action' })
    .where('project_id', '=', project.id)
    .execute();
  await pass(3_700_000);
  assert.equal((await environment()).state, 'available');
});

it('whoever may not stop an environment stops none by closing a merge request, nor later by having deployed', async () => {
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  const { developer, stranger } = await app.make.members(project);
  const pipeline = await deployed();
  const mergeRequest = await makeMergeRequest(app, project, { source_branch: 'topic', author_id: stranger.user.id });
  const { db } = app.deps;
  await db.updateTable('pipelines').set({ merge_request_id: mergeRequest.id }).where('id', '=', pipeline.id).execute();
  const json = { state_event: 'close' };
  const path = `/projects/${project.id}/merge_requests/${mergeRequest.iid}`;
  expectStatus(await app.put(path, { token: stranger.token, json }), 200);
  await app.drain();
  assert.equal((await environment()).state, 'available');
  assert.equal((await pipelines.job(pipeline.id, 'stop')).status, 'manual');
  // Who deployed has left since.
  await db.updateTable('ci_jobs').set({ user_id: developer.user.id }).where('pipeline_id', '=', pipeline.id).execute();
  expectStatus(await app.delete(`/projects/${project.id}/members/${developer.user.id}`), 204);
  await pass(86_400_000 + 120_000);
  const { state, auto_stop_at } = await environment();
  assert.deepEqual([state, auto_stop_at], ['available', null]);
  assert.equal((await pipelines.job(pipeline.id, 'stop')).status, 'manual');
});
