import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';

const CONFIG = 'build:\n  script: make\nship:\n  stage: deploy\n  script: ship\n  when: manual\n';

/** The unmodified JavaScript client works with pipelines and their jobs. */
let app: TestApp;
let api: InstanceType<typeof Gitlab<false>>;
let projectId: number;
before(async () => {
  app = await buildTestApp();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
  projectId = (await api.Projects.create({ name: 'Client', initializeWithReadme: true })).id;
  await api.RepositoryFiles.create(projectId, '.gitlab-ci.yml', 'main', CONFIG, 'Build [skip ci]');
  await app.drain();
});
after(() => app.close());

const namesOf = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name);

test('a pipeline is started, listed, shown, canceled, run again and removed', async () => {
  const made = await api.Pipelines.create(projectId, 'main', { variables: [{ key: 'A', value: '1' }] });
  assert.deepEqual([made.status, made.ref, made.source], ['pending', 'main', 'api']);
  assert.equal((await api.Pipelines.show(projectId, made.id)).detailed_status.group, 'pending');
  assert.deepEqual(
    (await api.Pipelines.all(projectId)).map(({ status }) => status),
    ['pending', 'skipped'],
  );
  assert.deepEqual(
    (await api.Pipelines.all(projectId, { status: 'pending' })).map(({ id }) => id),
    [made.id],
  );
  assert.deepEqual(
    (await api.Pipelines.allVariables(projectId, made.id)).map(({ key }) => key),
    ['A'],
  );
  assert.equal((await api.Pipelines.cancel(projectId, made.id)).status, 'canceled');
  assert.equal((await api.Pipelines.retry(projectId, made.id)).status, 'pending');
  await api.Pipelines.remove(projectId, made.id);
  await assert.rejects(api.Pipelines.show(projectId, made.id), /404/);
});

test('its jobs are listed, shown, canceled, run again, started and erased', async () => {
  const { id } = await api.Pipelines.create(projectId, 'main');
  const jobs = await api.Jobs.all(projectId, { pipelineId: id });
  assert.deepEqual(namesOf(jobs), ['ship', 'build']);
  assert.deepEqual(namesOf(await api.Jobs.all(projectId, { scope: 'pending' })), ['build']);
  assert.deepEqual(await api.Jobs.allPipelineBridges(projectId, id), []);
  const build = jobs.find(({ name }) => name === 'build')!;
  assert.deepEqual((await api.Jobs.show(projectId, build.id)).pipeline.id, id);
  assert.equal((await api.Jobs.cancel(projectId, build.id)).status, 'canceled');
  const again = await api.Jobs.retry(projectId, build.id);
  assert.deepEqual([again.name, again.status, again.id === build.id], ['build', 'pending', false]);
  assert.equal(await api.Jobs.showLog(projectId, again.id), '');
  await assert.rejects(api.Jobs.play(projectId, again.id), /Unplayable Job/);
  await assert.rejects(api.Jobs.erase(projectId, build.id), /not erasable/);
});

test('a merge request has pipelines', async () => {
  const rules = 'check:\n  script: lint\n  rules:\n    - if: $CI_PIPELINE_SOURCE == "merge_request_event"\n';
  await api.Branches.create(projectId, 'topic', 'main');
  await api.RepositoryFiles.edit(projectId, '.gitlab-ci.yml', 'topic', rules, 'Lint');
  const { iid } = await api.MergeRequests.create(projectId, 'topic', 'main', 'Lint');
  await app.drain();
  const [first] = await api.MergeRequests.allPipelines(projectId, iid);
  assert.deepEqual([first!.ref, first!.status], [`refs/merge-requests/${iid}/head`, 'pending']);
  const second = await api.MergeRequests.createPipeline(projectId, iid);
  assert.equal((await api.MergeRequests.show(projectId, iid)).head_pipeline?.id, second.id);
});
