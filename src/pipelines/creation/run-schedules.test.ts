import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../test/support/app.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { timestamp } from '../../core/clock.ts';
import { storedText } from '../../core/stored-secret.ts';
import type { Project } from '../../db/tables/projects.table.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  new ProjectGit(app, project).commit('main', {
    '.gitlab-ci.yml': 'nightly:\n  script: x\n  rules: [{if: $CI_PIPELINE_SOURCE == "schedule" && $WHAT == "all"}]\n',
  });
});

async function schedule(owner: number, columns: Record<string, unknown> = {}): Promise<number> {
  const now = timestamp(clock);
  const { id } = await app.deps.db
    .insertInto('ci_pipeline_schedules')
    .values({
      project_id: project.id,
      owner_id: owner,
      description: 'Nightly',
      ref: 'refs/heads/main',
      cron: '0 * * * *',
      cron_timezone: 'UTC',
      next_run_at: new Date(clock.now().getTime() + 60_000).toISOString(),
      created_at: now,
      updated_at: now,
      ...columns,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.deps.db
    .insertInto('ci_pipeline_schedule_variables')
    .values({ schedule_id: id, key: 'WHAT', value: storedText('all'), variable_type: 'env_var' })
    .execute();
  return id;
}
const made = () => app.deps.db.selectFrom('pipelines').selectAll().where('project_id', '=', project.id).execute();
async function pass(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await app.deps.jobs.maintain();
  await app.drain();
}

it('a schedule makes a pipeline when it is due, once, with its variables', async () => {
  const id = await schedule(1);
  await app.deps.jobs.maintain();
  await app.drain();
  assert.deepEqual(await made(), []);
  await pass(61_000);
  await pass(61_000);
  const [pipeline, ...more] = await made();
  assert.deepEqual([pipeline!.source, pipeline!.schedule_id, more.length], ['schedule', id, 0]);
  await pass(3_600_000);
  assert.equal((await made()).length, 2);
});

it('a schedule of somebody who is blocked, or that is switched off, runs nothing', async () => {
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 40);
  const id = await schedule(user.id);
  await schedule(1, { active: 0 });
  await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
  await pass(120_000);
  assert.deepEqual(await made(), []);
  const row = await app.deps.db
    .selectFrom('ci_pipeline_schedules')
    .select('active')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(row.active, 0);
});
