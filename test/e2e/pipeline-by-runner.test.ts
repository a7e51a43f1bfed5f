import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { FakeRunner, type RunningJob } from '../support/fake-runner.ts';
import { GitUser } from '../support/git-user.ts';
import { zipOf } from '../support/zip.ts';

const CONFIGURATION = `
stages: [build, test, deploy]
variables:
  GREETING: good morning
build:
  stage: build
  script: [make]
  artifacts:
    paths: [out/]
    reports:
      dotenv: build.env
unit:
  stage: test
  script: [make test]
  needs: [build]
  coverage: '/covered \\d+/'
flaky:
  stage: test
  script: [make flaky]
  retry: 1
by-hand:
  stage: deploy
  script: [make deploy]
  when: manual
deploy:
  stage: deploy
  script: [make deploy]
  dependencies: [build]
`;

interface JobJson {
  id: number;
  name: string;
  status: string;
  coverage: number | null;
  failure_reason?: string;
  artifacts: { file_type: string }[];
}

let app: TestApp;
let user: GitUser;
let project: Project;
let runner: FakeRunner;
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
  project = await app.make.project();
  runner = await FakeRunner.make(app);
});
after(() => app.close());

const jobs = async (): Promise<JobJson[]> =>
  expectStatus(await app.get(`/projects/${project.id}/jobs`, { query: { per_page: 100 } }), 200);
const states = async (): Promise<Record<string, string[]>> => {
  const statuses: Record<string, string[]> = {};
  for (const { name, status } of (await jobs()).toReversed()) statuses[name] = [...(statuses[name] ?? []), status];
  return statuses;
};
const pipeline = async (): Promise<{ id: number; status: string; coverage: string | null }> =>
  expectStatus(await app.get(`/projects/${project.id}/pipelines/latest`), 200);

async function works(job: RunningJob, log: string): Promise<void> {
  for (let at = 0; at < log.length; at += 5)
    assert.equal((await job.patchTrace(log.slice(at, at + 5))).statusCode, 202);
}

test('a push makes a pipeline that a runner takes through its stages', async () => {
  const dir = await user.tree();
  await user.commit(dir, '.gitlab-ci.yml', CONFIGURATION);
  await user.ok(dir, 'push', '--quiet', user.address(project), 'HEAD:refs/heads/main');
  await app.drain();
  assert.deepEqual(await states(), {
    build: ['pending'],
    unit: ['created'],
    flaky: ['created'],
    'by-hand': ['created'],
    deploy: ['created'],
  });

  const build = await runner.take();
  assert.equal(build.name, 'build');
  assert.equal(build.variable('GREETING'), 'good morning');
  assert.equal(await runner.request(), undefined);
  await works(build, `making with ${build.response.token}\n`);
  const archive = await zipOf({ 'out/greeting.txt': 'good morning\n' });
  assert.equal((await build.upload('artifacts.zip', archive)).statusCode, 201);
  const dotenv = gzipSync('VERSION=1.2.3\n');
  const words = { artifact_type: 'dotenv', artifact_format: 'gzip' };
  assert.equal((await build.upload('build.env.gz', dotenv, words)).statusCode, 201);
  await build.finish();

  const [first, second] = [await runner.take(), await runner.take()];
  const [unit, flaky] = first.name === 'unit' ? [first, second] : [second, first];
  assert.deepEqual([unit.name, flaky.name], ['unit', 'flaky']);
  assert.equal(unit.variable('VERSION'), '1.2.3');
  const [dependency] = unit.response.dependencies;
  assert.equal(dependency?.name, 'build');
  const got = await unit.download(dependency!);
  assert.equal(got.statusCode, 200);
  assert.ok(got.rawPayload.equals(archive));
  await works(unit, 'covered 87 of them\n');
  await unit.finish();
  await works(flaky, 'it failed\n');
  await flaky.finish('failed', { failure_reason: 'script_failure', exit_code: 1 });
  const again = await runner.take();
  assert.equal(again.name, 'flaky');
  assert.notEqual(again.id, flaky.id);
  await again.finish();

  const deploy = await runner.take();
  assert.equal(deploy.name, 'deploy');
  assert.deepEqual(
    deploy.response.dependencies.map(({ name }) => name),
    ['build'],
  );
  await deploy.finish();
  assert.equal(await runner.request(), undefined);
  await app.drain();
  assert.deepEqual(await states(), {
    build: ['success'],
    unit: ['success'],
    flaky: ['failed', 'success'],
    'by-hand': ['manual'],
    deploy: ['success'],
  });
  assert.equal((await pipeline()).status, 'success');
  assert.equal(Number((await pipeline()).coverage), 87);
});

test('what its jobs left comes back through the API', async () => {
  const build = (await jobs()).find(({ name }) => name === 'build')!;
  const kinds = build.artifacts.map(({ file_type }) => file_type).sort();
  assert.deepEqual(kinds, ['archive', 'dotenv', 'trace']);
  const file = await app.get(`/projects/${project.id}/jobs/artifacts/main/raw/out/greeting.txt`, {
    query: { job: 'build' },
  });
  assert.equal(file.statusCode, 200, file.body);
  assert.equal(file.body, 'good morning\n');
  const log = await app.get(`/projects/${project.id}/jobs/${build.id}/trace`);
  assert.match(log.body, /^making with \[MASKED\]x+\n$/);
});

test('a manual job runs when it is played', async () => {
  const manual = (await jobs()).find(({ name }) => name === 'by-hand')!;
  expectStatus(await app.post(`/projects/${project.id}/jobs/${manual.id}/play`), 200);
  assert.equal((await pipeline()).status, 'running');
  const job = await runner.take();
  assert.equal(job.id, manual.id);
  assert.equal(job.variable('CI_JOB_MANUAL'), 'true');
  await job.finish();
  await app.drain();
  assert.equal((await pipeline()).status, 'success');
});
