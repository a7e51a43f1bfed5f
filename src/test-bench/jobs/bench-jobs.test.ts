import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { holdJob } from '../../../test/support/artifacts.ts';
import { commitFiles } from '../../../test/support/commits.ts';
import { FakeRunner } from '../../../test/support/fake-runner.ts';
import { makePipeline } from '../../../test/support/pipelines.ts';
import { benchOf } from '../test-bench.ts';

interface Job {
  id: number;
  name: string;
  status: string;
  coverage: number | null;
  runner: unknown;
  failure_reason?: string;
}

const clock = new TestClock();
let app: TestApp;
let token: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' }, clock });
  ({ token } = await app.make.user());
});
after(() => app.close());

const end = (id: number, json: unknown) => app.post(`/-/bench/jobs/${id}`, { json });
const rule = (project: number | string, rules: unknown) =>
  app.put(`/-/bench/projects/${encodeURIComponent(project)}/jobs`, { json: { rules } });

/** A project with a configuration, and what became of its newest pipeline. */
async function configured(yaml: string) {
  const { id, full_path: path } = await app.make.project();
  const run = async () => {
    await commitFiles(app, id, { '.gitlab-ci.yml': yaml });
    await app.drain();
  };
  const pipeline = async () =>
    expectStatus<{ id: number; status: string }[]>(await app.get(`/projects/${id}/pipelines`), 200)[0]!;
  const jobs = async () => {
    const query = { include_retried: true };
    const list = expectStatus<Job[]>(
      await app.get(`/projects/${id}/pipelines/${(await pipeline()).id}/jobs`, { query }),
      200,
    );
    return list.sort((a, b) => a.id - b.id);
  };
  const states = async () => Object.fromEntries((await jobs()).map(({ name, status }) => [name, status]));
  return { id, path, run, pipeline, jobs, states };
}

test('a job ends by hand as by a runner: log, files, reports and coverage; the next stage follows', async () => {
  const { id, run, jobs, states, pipeline } = await configured(`
test:
  script: [exit 3]
  artifacts:
    reports:
      junit: report.xml
      dotenv: build.env
deploy:
  stage: deploy
  script: echo
`);
  await run();
  const [one] = await jobs();
  const junit = '<testsuite><testcase name="a" classname="b" time="1"/></testsuite>';
  const answer = await end(one!.id, {
    status: 'success',
    log: 'all is well\n',
    artifacts: { 'report.xml': junit, 'dir/b.bin': { base64: 'AAEC' }, 'build.env': 'VERSION=3\n' },
    coverage: 87.5,
  });
  assert.deepEqual(expectStatus(answer, 201), { id: one!.id, status: 'success', pipeline_id: (await pipeline()).id });
  await app.drain();
  assert.deepEqual(await states(), { test: 'success', deploy: 'pending' });
  const shown = expectStatus<Job>(await app.get(`/projects/${id}/jobs/${one!.id}`), 200);
  assert.deepEqual([shown.coverage, shown.runner], [87.5, null]);
  assert.equal((await app.get(`/projects/${id}/jobs/${one!.id}/trace`)).body, 'all is well\n');
  assert.equal((await app.get(`/projects/${id}/jobs/${one!.id}/artifacts/report.xml`)).body, junit);
  const binary = await app.get(`/projects/${id}/jobs/${one!.id}/artifacts/dir/b.bin`);
  assert.deepEqual([...binary.rawPayload], [0, 1, 2]);
  const report = expectStatus<{ total_count: number }>(
    await app.get(`/projects/${id}/pipelines/${(await pipeline()).id}/test_report`),
    200,
  );
  assert.equal(report.total_count, 1);
  const [, two] = await jobs();
  expectStatus(await end(two!.id, { status: 'failed', log: 'no\n' }), 201);
  await app.drain();
  assert.equal((await jobs())[1]!.failure_reason, 'script_failure');
  assert.equal((await pipeline()).status, 'failed');
});

test('a coverage that is told wins over the one in the log, which counts otherwise', async () => {
  const { run, jobs } = await configured("test:\n  script: echo\n  coverage: '/total (\\d+)%/'\n  parallel: 2\n");
  await run();
  const [one, two] = await jobs();
  expectStatus(await end(one!.id, { status: 'success', log: 'total 12%\n', coverage: 81.5 }), 201);
  expectStatus(await end(two!.id, { status: 'success', log: 'total 12%\n' }), 201);
  await app.drain();
  assert.deepEqual(
    (await jobs()).map(({ coverage }) => coverage),
    [81.5, 12],
  );
});

test('running jobs end too, canceled ones are, and all others are 409', async () => {
  const project = await app.make.project();
  const { jobs } = await makePipeline(app, project, {
    jobs: [
      { name: 'pending', status: 'pending' },
      { name: 'created', status: 'created', stage: 'later' },
      { name: 'manual', status: 'manual' },
      { name: 'done', status: 'success' },
      { name: 'bridge', status: 'pending', kind: 'bridge' },
    ],
  });
  const { job } = await holdJob(app, project);
  assert.equal(expectStatus(await end(job.id, { status: 'canceled', log: 'x' }), 201).status, 'canceled');
  assert.equal(expectStatus(await end(jobs.pending!.id, { status: 'canceled' }), 201).status, 'canceled');
  for (const name of ['created', 'manual', 'done', 'pending']) {
    const answer = await end(jobs[name]!.id, { status: 'success' });
    assert.equal(answer.statusCode, 409, name);
    assert.match(answer.body, /only pending and running jobs can end/);
  }
  for (const unknown of [jobs.bridge!.id, 999_999]) expectStatus(await end(unknown, { status: 'success' }), 404);
});

test('a job that a runner has taken ends by hand, and its runner learns it', async () => {
  const { run, jobs } = await configured('test:\n  script: echo\n  tags: [mine]\n');
  const runner = await FakeRunner.make(app, { tag_list: ['mine'], run_untagged: false });
  await run();
  const job = await runner.take();
  await end(job.id, { status: 'success', log: 'by hand\n' });
  assert.equal((await jobs())[0]!.status, 'success');
});

test('rules end jobs by themselves, after their time, the first of a name', async () => {
  const { id, path, run, states, jobs, pipeline } = await configured(`
test-a: {script: a}
test-b: {script: b}
lint: {script: c}
other: {script: d}
`);
  const rules = [
    { name: 'test-a', status: 'failed', log: 'broken\n' },
    { name: 'test-*', after: 90, coverage: 12, artifacts: { 'a.txt': 'x' } },
    { name: 'lint', status: 'canceled' },
  ];
  assert.deepEqual(expectStatus(await rule(path, rules), 200), { rules });
  assert.deepEqual(expectStatus(await app.get(`/-/bench/projects/${id}/jobs`), 200), { rules });
  await run();
  assert.deepEqual(await states(), { 'test-a': 'failed', 'test-b': 'running', lint: 'canceled', other: 'pending' });
  clock.advance(60_000);
  await app.drain();
  assert.equal((await states())['test-b'], 'running');
  clock.advance(31_000);
  await app.drain();
  assert.equal((await states())['test-b'], 'success');
  assert.equal((await jobs()).find(({ name }) => name === 'test-b')!.coverage, 12);
  expectStatus(await rule(id, [{ name: 'other' }]), 200);
  await app.drain();
  assert.deepEqual([(await states()).other, (await pipeline()).status], ['success', 'failed']);
  expectStatus(await rule(id, []), 200);
  assert.deepEqual(expectStatus(await app.get(`/-/bench/projects/${id}/jobs`), 200), { rules: [] });
});

test('auto lets all succeed: needs, manual jobs, delayed ones, child pipelines', async () => {
  const { id, run, states, jobs, pipeline } = await configured(`
build: {stage: build, script: a}
fast: {stage: deploy, needs: [build], script: b}
test: {script: c}
gate: {stage: deploy, when: manual, allow_failure: false, script: d}
after: {stage: .post, script: e}
late: {stage: test, when: delayed, start_in: 1 hour, script: f}
child:
  stage: test
  trigger:
    strategy: depend
    include:
      - local: child.yml
`);
  await commitFiles(app, id, { 'child.yml': 'inner: {script: x}\n' });
  await app.drain();
  expectStatus(await rule(id, 'auto'), 200);
  await run();
  assert.deepEqual(await states(), {
    ...{ build: 'success', fast: 'success', test: 'success', gate: 'created', after: 'created', late: 'scheduled' },
  });
  clock.advance(3_600_000);
  await app.drain();
  assert.deepEqual(
    [(await states()).late, (await states()).gate, (await states()).after],
    ['success', 'manual', 'created'],
  );
  const gate = (await jobs()).find(({ name }) => name === 'gate')!;
  expectStatus(await app.post(`/projects/${id}/jobs/${gate.id}/play`), 200);
  await app.drain();
  assert.deepEqual([(await states()).after, (await pipeline()).status], ['success', 'success']);
});

test('failures are retried and allowed as with a runner', async () => {
  const { id, run, jobs, pipeline } = await configured(`
again: {script: a, retry: 2}
allowed:
  script: b
  allow_failure:
    exit_codes: 42
`);
  await rule(id, [
    { name: 'again', status: 'failed' },
    { name: 'allowed', status: 'failed', exit_code: 42 },
  ]);
  await run();
  const names = (await jobs()).map(({ name, status }) => `${name} ${status}`).sort();
  assert.deepEqual(names, ['again failed', 'again failed', 'again failed', 'allowed failed']);
  assert.equal((await pipeline()).status, 'failed');
  const last = (await jobs()).filter(({ name }) => name === 'again').at(-1)!;
  await rule(id, 'auto');
  expectStatus(await app.post(`/projects/${id}/jobs/${last.id}/retry`), 201);
  await app.drain();
  assert.equal((await pipeline()).status, 'success');
});

test('what makes no sense is refused and says why', async () => {
  const project = await app.make.project();
  const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'a', status: 'pending' }] });
  const refusals: [unknown, RegExp][] = [
    [{}, /status is missing/],
    [{ status: 'done' }, /status does not have a valid value/],
    [{ status: 'success', logs: 'x' }, /logs is unknown; known are status, log/],
    [{ status: 'success', coverage: 101 }, /coverage does not have a valid value/],
    [{ status: 'success', artifacts: ['a'] }, /artifacts is invalid/],
    [{ status: 'success', artifacts: { '../a': 'x' } }, /\.\.\/a is not a path of a file/],
    [{ status: 'success', artifacts: { '/a': 'x' } }, /\/a is not a path of a file/],
    [{ status: 'success', artifacts: { a: 1 } }, /a must be a text or an object of base64/],
    [{ status: 'success', artifacts: { a: { base64: '!' } } }, /a must be a text or an object of base64/],
  ];
  for (const [json, message] of refusals) {
    const answer = await end(jobs.a!.id, json);
    assert.equal(answer.statusCode, 400, answer.body);
    assert.match(answer.body.replaceAll('\\/', '/'), message);
  }
  assert.equal((await app.get(`/projects/${project.id}/jobs/${jobs.a!.id}`)).json().status, 'pending');
  const wrong: [unknown, RegExp][] = [
    ['manual', /rules must be auto or a list of rules/],
    [[{ status: 'failed' }], /name is missing/],
    [[{ name: 'a' }, { name: 'b', status: 'skipped' }], /rules/],
    [[{ name: 'a', next: 'b' }], /rules\[0\]\.next is unknown; known are name, status, after/],
    [[{ name: 'a', after: -1 }], /rules/],
    [[{ name: 'a', artifacts: { '..': 'x' } }], /rules\[0\]: artifacts: \.\. is not a path/],
  ];
  for (const [rules, message] of wrong) {
    const answer = await rule(project.id, rules);
    assert.equal(answer.statusCode, 400, answer.body);
    assert.match(answer.body, message);
  }
  expectStatus(await rule(999_999, 'auto'), 404);
  await assert.rejects(benchOf(app.deps).jobs.setRules(999_999, 'auto'), { status: 404 });
});

test('only the administrator ends jobs', async () => {
  const { id } = await app.make.project();
  for (const [method, path, json] of [
    ['POST', '/-/bench/jobs/1', { status: 'success' }],
    ['GET', `/-/bench/projects/${id}/jobs`, undefined],
    ['PUT', `/-/bench/projects/${id}/jobs`, { rules: 'auto' }],
  ] as const) {
    expectStatus(await app.request(method, path, { token: null, json }), 401);
    expectStatus(await app.request(method, path, { token, json }), 403);
  }
});
