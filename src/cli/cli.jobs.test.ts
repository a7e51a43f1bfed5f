import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { type CommandResult, runCommand } from '../../test/support/stithy-command.ts';
import { jobKind, LANES } from '../jobs/jobs.kinds.ts';

const BROKEN = jobKind<object>('test.broken', { lane: 'git', maxAttempts: 1 });

let app: TestApp;
let fails = true;
before(async () => {
  app = await buildTestApp();
  app.deps.jobs.register(BROKEN, () => (fails ? Promise.reject(new Error('no such host')) : Promise.resolve()));
  app.deps.jobs.start();
});
after(() => app.close());

/** The command beside the running server. */
function stithy(...args: string[]): Promise<CommandResult> {
  const { dataDir, database } = app.deps.config;
  const url: Record<string, string> = database.kind === 'postgres' ? { STITHY_DATABASE_URL: database.url } : {};
  return runCommand(['jobs', ...args], { STITHY_DATA_DIR: dataDir, ...url });
}

const stored = () => app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', BROKEN.name).orderBy('id').execute();

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('dead jobs are shown beside a running server, run again, and dropped', async () => {
  for (let n = 0; n < 3; n += 1) await app.deps.jobs.enqueue(app.deps.db, BROKEN, {}, { projectId: 5 });
  await until(async () => (await stored()).every(({ state }) => state === 'dead'));
  const [first, second] = await stored();
  assert.match((await stithy()).stdout, /git +0 +\d+ +0 +0 +3 +0 s/);
  const listed = await stithy('list');
  assert.match(listed.stdout, new RegExp(`${first!.id}  dead  test.broken .*project 5.*\n    no such host`));
  const json = JSON.parse((await stithy('list', '--kind', 'test.broken', '--json', '--limit', '2')).stdout);
  assert.deepEqual(
    json.map(({ id, state, lane, last_error }: Record<string, unknown>) => [id, state, lane, last_error]),
    [first!, second!].map(({ id }) => [id, 'dead', 'git', 'no such host']),
  );
  assert.equal('payload' in json[0], false);
  fails = false;
  assert.equal((await stithy('retry', String(first!.id))).stdout, '1 job will run again.\n');
  await until(async () => (await stored()).length === 2);
  assert.deepEqual(JSON.parse((await stithy('drop', '--lane', 'git', '--json')).stdout), { dropped: 2 });
  assert.deepEqual(await stored(), []);
  assert.equal((await stithy('list')).stdout, 'No jobs found.\n');
});

test('invalid arguments are refused with what to change', async () => {
  for (const [args, says] of [
    [['frobnicate'], /unknown command "stithy jobs frobnicate"/],
    [['drop'], /select the jobs to drop/],
    [['retry'], /select the jobs to retry/],
    [['list', 'one'], /"one" is not a job id/],
    [['list', '--state', 'done'], /--state must be one of dead, waiting/],
    [['drop', '--all', '--state', 'running'], /running jobs cannot be dropped/],
    [['retry', '--all', '--state', 'dead'], /"stithy jobs retry" takes no --state/],
    [['status', '--lane', 'git'], /"stithy jobs status" takes no arguments but --json/],
    [['list', '--limit', '0'], /--limit must be a positive integer/],
    [['list', '--colour'], /--colour/],
  ] as const) {
    const { code, stderr } = await stithy(...args);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
  const { stdout } = await stithy('--help');
  assert.match(stdout, /Usage: stithy jobs/);
  assert.match(stdout, new RegExp(`Lanes: ${Object.keys(LANES).join(', ')}\\.\n`));
});

test('each lane is measured, and dead jobs make no server unready', async () => {
  fails = true;
  await app.deps.jobs.enqueue(app.deps.db, BROKEN, {});
  await until(async () => (await stored()).some(({ state }) => state === 'dead'));
  await until(async () => /stithy_jobs\{lane="git",state="dead"\} 1\n/.test((await app.get('/-/metrics')).body));
  const { body } = await app.get('/-/metrics');
  assert.match(body, /stithy_jobs_oldest_seconds\{lane="outgoing"\} 0\n/);
  assert.match(body, /stithy_job_runs\{lane="git",result="dead"\} [4-9]/);
  assert.equal((await app.get('/-/readiness')).statusCode, 200);
});
