import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { type HeldJob, holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let project: Project;
let pipeline: Pipeline;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  ({ pipeline } = await makePipeline(app, project, { jobs: [] }));
});

/** Uploads a test report for a job of the pipeline. */
async function report(name: string, xml: string | Buffer, columns = {}, into = pipeline): Promise<HeldJob> {
  const held = await holdJob(app, project, { name, into, columns });
  const bytes = Buffer.isBuffer(xml) ? xml : gzipSync(xml);
  const query = { artifact_type: 'junit', artifact_format: 'gzip' };
  expectStatus(await uploadArtifact(app, held, bytes, query, { name: 'junit.xml.gz' }), 201);
  return held;
}
const ask = (rest: string, token?: string | null) =>
  app.get(`/projects/${project.id}/pipelines/${pipeline.id}/${rest}`, token === undefined ? {} : { token });
const full = async () => expectStatus<Row & { test_suites: Row[] }>(await ask('test_report'), 200);
const summary = async () => expectStatus<Row & { test_suites: Row[] }>(await ask('test_report_summary'), 200);
const ok = (n: number) =>
  `<testsuite name="s">${Array.from({ length: n }, (_, at) => `<testcase name="t${at}"/>`).join('')}</testsuite>`;

const NOTHING = { total_time: 0, total_count: 0, success_count: 0, failed_count: 0, skipped_count: 0, error_count: 0 };

test('a pipeline without reports has no tests', async () => {
  assert.deepEqual(await full(), { ...NOTHING, test_suites: [] });
  const total = { time: 0, count: 0, success: 0, failed: 0, skipped: 0, error: 0, suite_error: null };
  assert.deepEqual(await summary(), { total, test_suites: [] });
});

test('shows every test, what went wrong first, and counts them', async () => {
  const { job } = await report(
    'rspec',
    `<testsuites><testsuite name="s">
      <testcase name="a" classname="c" file="f" time="0.1"/>
      <testcase name="b" time="0.2"/>
      <testcase name="broken" time="1"><error>oh</error></testcase>
      <testcase name="bad" time="2"><failure message="m">trace</failure></testcase>
      <testcase name="out"><skipped/></testcase>
    </testsuite></testsuites>`,
  );
  const counts = {
    total_time: 3.3,
    total_count: 5,
    success_count: 2,
    failed_count: 1,
    skipped_count: 1,
    error_count: 1,
  };
  const shown = (values: Row) => ({
    ...{ status: 'success', classname: null, file: null, execution_time: 0, system_output: null },
    ...{ stack_trace: null, recent_failures: null },
    ...values,
  });
  const body = await full();
  assert.deepEqual(body, {
    ...counts,
    test_suites: [
      {
        name: 'rspec',
        ...counts,
        suite_error: null,
        test_cases: [
          shown({ name: 'broken', status: 'error', execution_time: 1, system_output: 'oh' }),
          shown({ name: 'bad', status: 'failed', execution_time: 2, system_output: 'trace' }),
          shown({ name: 'b', execution_time: 0.2 }),
          shown({ name: 'a', classname: 'c', file: 'f', execution_time: 0.1 }),
          shown({ name: 'out', status: 'skipped' }),
        ],
      },
    ],
  });
  assert.deepEqual(await summary(), {
    total: { time: 3.3, count: 5, success: 2, failed: 1, skipped: 1, error: 1, suite_error: null },
    test_suites: [{ name: 'rspec', ...counts, build_ids: [job.id], suite_error: null }],
  });
});

test('parallel jobs are one suite, those of a matrix are not, and a test counts once', async () => {
  await report('rspec 1/2', ok(3));
  await report('rspec 2/2', ok(4));
  await report('unit: [a, b]', ok(1));
  await report('unit: [c, d]', ok(1));
  const { test_suites } = await summary();
  assert.deepEqual(
    test_suites.map(({ name, total_count, build_ids }) => [name, total_count, (build_ids as number[]).length]),
    [
      ['rspec', 4, 2],
      ['unit: [a, b]', 1, 1],
      ['unit: [c, d]', 1, 1],
    ],
  );
});

test('several files of one report count together', async () => {
  await report(
    'rspec',
    Buffer.concat([gzipSync('<?xml version="1.0"?><testsuite><testcase name="a"/></testsuite>'), gzipSync(ok(2))]),
  );
  assert.equal((await full()).total_count, 3);
});

test('a report that cannot be read says so, and the others count', async () => {
  await report('good', ok(2));
  await report('broken', '<testsuite><testcase>');
  await report('unpacked', Buffer.from('<testsuite/> as it is'));
  await report('bomb', Buffer.concat([gzipSync(Buffer.alloc(31 * 2 ** 20, ' '))]));
  const { test_suites, total_count } = await full();
  assert.equal(total_count, 2);
  assert.deepEqual(
    test_suites.map(({ name, suite_error, test_cases }) => [name, suite_error, (test_cases as Row[]).length]),
    [
      ['good', null, 2],
      ['broken', 'JUnit XML parsing failed: 1:21: unclosed tag: testcase', 0],
      ['unpacked', 'JUnit XML parsing failed: not in gzip format', 0],
      ['bomb', 'JUnit XML parsing failed: too large', 0],
    ],
  );
  assert.deepEqual(
    (await summary()).test_suites.map(({ suite_error }) => suite_error === null),
    [true, false, false, false],
  );
});

test('jobs that were retried, child pipelines and what is past its time are left out', async () => {
  await report('old', ok(1), { retried: 1 });
  const child = await makePipeline(app, project, { jobs: [], columns: { parent_id: pipeline.id } });
  await report('child', ok(1), {}, child.pipeline);
  await report('mine', ok(1));
  assert.deepEqual(
    (await full()).test_suites.map(({ name }) => name),
    ['mine'],
  );
  clock.advance(31 * 86_400_000);
  assert.deepEqual((await full()).test_suites, []);
  await app.deps.db.updateTable('pipelines').set({ locked: 1 }).where('id', '=', pipeline.id).execute();
  assert.deepEqual(
    (await full()).test_suites.map(({ name }) => name),
    ['mine'],
  );
});

test('who sees the pipeline sees them, but for those that are kept from them', async () => {
  const { job } = await report('rspec', ok(1));
  const members = await app.make.members(project);
  const counts = async () => {
    const countByRole: Record<string, unknown> = {};
    for (const [name, { token }] of Object.entries(members)) {
      const [one, other] = [await ask('test_report', token), await ask('test_report_summary', token)];
      assert.equal(one.statusCode, other.statusCode);
      countByRole[name] = one.statusCode === 200 ? one.json<Row>().total_count : one.statusCode;
    }
    return countByRole;
  };
  const all = { guest: 1, planner: 1, reporter: 1, developer: 1, maintainer: 1, owner: 1, stranger: 404 };
  assert.deepEqual(await counts(), all);
  await app.deps.db
    .updateTable('ci_job_artifacts')
    .set({ accessibility: 'developer' })
    .where('job_id', '=', job.id)
    .execute();
  assert.deepEqual(await counts(), { ...all, guest: 0, planner: 0, reporter: 0 });
  assert.ok([401, 404].includes((await ask('test_report', null)).statusCode));
  const other = await app.make.project();
  assert.equal((await app.get(`/projects/${other.id}/pipelines/${pipeline.id}/test_report`)).statusCode, 404);
});
