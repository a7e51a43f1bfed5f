import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../test/support/app.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { JsonLogger } from '../../../core/logger.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type Instance, open } from '../../../start.ts';
import { assignJob } from './assign-job.ts';

/** Two processes on one database, simulated within one process. SQLite supports a single process only. */
let app: TestApp;
let second: Instance | null = null;
let project: Project;
let runner: FakeRunner;
let row: CiRunner;
before(async () => {
  app = await buildTestApp();
  const { config, clock } = app.deps;
  if (config.database.kind === 'postgres') second = await open(config, new JsonLogger('error', () => {}), clock, false);
  project = await app.make.project();
  runner = await FakeRunner.make(app, { runner_type: 'project_type', project_id: project.id });
  row = await app.deps.db.selectFrom('ci_runners').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
});
after(async () => {
  await second?.server.app.close();
  await second?.close();
  await app.close();
});

test('no job is given twice, whichever process is asked', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `job ${index}`);
  await makePipeline(app, project, { jobs: names.map((name) => ({ name, status: 'pending' })) });
  const asking = { runner: row, managerId: null, features: {} };
  const taken: number[] = [];
  let refused = 0;
  const take = async (deps: TestApp['deps']) => {
    try {
      const started = await assignJob(deps, asking);
      if (started === undefined) return false;
      taken.push(started.job.id);
    } catch (error) {
      assert.equal((error as { status?: number }).status, 409);
      refused += 1;
    }
    return true;
  };
  const drain = async (deps: TestApp['deps']) => {
    while (await take(deps)) assert.ok(refused < 1_000);
  };
  await Promise.all([app.deps, second?.deps ?? app.deps].flatMap((deps) => [drain(deps), drain(deps), drain(deps)]));
  assert.equal(new Set(taken).size, taken.length);
  assert.equal(taken.length, names.length);
  const left = await app.deps.db.selectFrom('ci_pending_jobs').selectAll().execute();
  assert.deepEqual(left, []);
});

test('a runner that waits hears of a job that another process makes wait', async (t) => {
  if (second === null) return t.diagnostic('there is one process');
  assert.equal(await runner.request(), undefined);
  const waiting = runner.request({ last_update: runner.lastUpdate });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const stranger = { deps: second.deps } as TestApp;
  await makePipeline(stranger, project, { jobs: [{ name: 'from elsewhere' }], process: true });
  assert.equal((await waiting)?.name, 'from elsewhere');
});
