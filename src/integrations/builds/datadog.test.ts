import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { FakeRunner } from '../../../test/support/fake-runner.ts';
import { makePipeline } from '../../../test/support/pipelines.ts';
import { type ProgramReceiver, receiveRequests } from '../../../test/support/program-receiver.ts';
import { projectWith } from '../../../test/support/programs.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let receiver: ProgramReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  receiver = await receiveRequests();
});
beforeEach(() => receiver.reset());
after(async () => {
  await app.close();
  await receiver.close();
});

const got = () => {
  const received = receiver.got.map(({ headers, text }) => ({
    header: headers['x-gitlab-event'],
    body: JSON.parse(text) as Json,
  }));
  receiver.reset();
  return received;
};

/** A project that Datadog is told of, and how a job of it runs. */
async function watched(settings: Json = {}) {
  const made = await projectWith(app, 'datadog', { api_url: receiver.url, api_key: 'sesame', ...settings });
  const json = { runner_type: 'project_type', project_id: made.project.id };
  const runner = await FakeRunner.make(app, json);
  const run = async () => {
    const job = await runner.take();
    await job.patchTrace('a line\n');
    await job.finish('failed', { failure_reason: 'script_failure' });
    await app.drain();
    return job.id;
  };
  const begin = () => makePipeline(app, made.project, { jobs: [{ name: 'test', status: 'pending' }] });
  return { ...made, begin, run };
}

test('datadog is told of jobs and pipelines, and of their logs where it wants them', async () => {
  const { begin, run, set, web } = await watched();
  const { pipeline } = await begin();
  await run();
  const received = got();
  assert.deepEqual([...new Set(received.map(({ header }) => header))].sort(), ['Job Hook', 'Pipeline Hook']);
  assert.ok(received.some(({ body }) => body.object_kind === 'build' && body.build_status === 'failed'));
  await set({ archive_trace_events: true });
  await begin();
  const id = await run();
  const logs = got().filter(({ header }) => header === 'Archive Trace Hook');
  assert.deepEqual(
    logs.map(({ body }) => ({ ...body, project: (body.project as Json).web_url })),
    [
      {
        object_kind: 'archive_trace',
        trace_url: `${web}/-/jobs/${id}/raw`,
        build_id: id,
        pipeline_id: pipeline.id + 1,
        project: web,
      },
    ],
  );
});

test('datadog is told of a pipeline with the jobs that were tried again, webhooks are not', async () => {
  const { begin, run, at } = await watched();
  expectStatus(
    await app.post(`${at}/hooks`, { json: { url: `${receiver.url}/hook`, pipeline_events: true, push_events: false } }),
    201,
  );
  await begin();
  const first = await run();
  receiver.reset();
  expectStatus(await app.post(`${at}/jobs/${first}/retry`), 201);
  const second = await run();
  const builds = (path: string) => {
    const last = receiver.got
      .filter((request) => request.path.startsWith(path) && /"pipeline"/.test(request.text))
      .at(-1);
    const { builds } = JSON.parse(last?.text ?? '{}') as { builds: { id: number }[] };
    return builds.map(({ id }) => id).sort();
  };
  assert.deepEqual(builds('/?'), [first, second]);
  assert.deepEqual(builds('/hook'), [second]);
});

test('datadog is told of no pipeline where that is switched off', async () => {
  const { begin, run, push } = await watched({ datadog_ci_visibility: false, archive_trace_events: true });
  await begin();
  await run();
  assert.deepEqual(got(), []);
  await push();
  await app.drain();
  assert.deepEqual(
    got().map(({ header }) => header),
    ['Push Hook'],
  );
});
