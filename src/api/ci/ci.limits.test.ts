import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { storedText } from '../../core/stored-secret.ts';

/* Limits hold for concurrent requests as well, each on a database connection of its own if there are several. */
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** Remaining capacity, and concurrent requests for it. */
const LEFT = 2;
const COMING = 12;
const ROWS_AT_ONCE = 1_000;

async function fill(total: number, insert: (db: TestApp['deps']['db'], numbers: number[]) => Promise<unknown>) {
  const numbers = Array.from({ length: total - LEFT }, (_, n) => n);
  await app.deps.db.transaction().execute(async (db) => {
    for (let at = 0; at < numbers.length; at += ROWS_AT_ONCE) await insert(db, numbers.slice(at, at + ROWS_AT_ONCE));
  });
}

async function race(path: string, json: (n: number) => object, message: RegExp): Promise<void> {
  // Opens as many connections in advance, so that none is still being opened when the others have finished.
  await Promise.all(Array.from({ length: COMING }, () => app.get('/version')));
  const answers = await Promise.all(Array.from({ length: COMING }, (_, n) => app.post(path, { json: json(n) })));
  const refused = answers.filter(({ statusCode }) => statusCode !== 201);
  assert.equal(refused.length, COMING - LEFT, path);
  for (const response of refused) assert.match(expectStatus<{ message: string }>(response, 400).message, message);
}

describe('requests at once make no more than there may be', () => {
  const now = new Date().toISOString();
  const times = { created_at: now, updated_at: now };
  const plain = {
    value: storedText<'ci_variables.value'>(''),
    variable_type: 'env_var' as const,
    environment_scope: '*',
    ...times,
  };
  const variables = (place: { project_id?: number; group_id?: number }, total: number) =>
    fill(total, (db, numbers) =>
      db
        .insertInto('ci_variables')
        .values(numbers.map((n) => ({ ...plain, ...place, key: `FILL_${n}` })))
        .execute(),
    );
  const variable = (n: number) => ({ key: `NEW_${n}`, value: 'x' });

  it('variables of a project', async () => {
    const { id } = await app.make.project();
    await variables({ project_id: id }, 8_000);
    await race(`/projects/${id}/variables`, variable, /project ci variables \(8000\) exceeded/);
  });

  it('variables of a group', async () => {
    const { id } = await app.make.group();
    await variables({ group_id: id }, 30_000);
    await race(`/groups/${id}/variables`, variable, /group ci variables \(30000\) exceeded/);
  });

  it('variables of the installation', async () => {
    await variables({}, 25);
    await race('/admin/ci/variables', variable, /ci instance level variables \(25\) exceeded/);
  });

  it('schedules of a project, and variables of a schedule', async () => {
    const project = await app.make.project();
    new ProjectGit(app, project).commit('main', { a: '1' });
    const path = `/projects/${project.id}/pipeline_schedules`;
    const schedule = (n: number) => ({ description: `s${n}`, ref: 'main', cron: '0 4 * * *' });
    const ids: number[] = [];
    for (let n = 0; n < 10 - LEFT; n += 1) {
      ids.push((await app.post(path, { json: schedule(n) })).json<{ id: number }>().id);
    }
    await race(path, schedule, /ci pipeline schedules \(10\) exceeded/);
    const [schedule_id] = ids as [number];
    await fill(1_000, (db, numbers) =>
      db
        .insertInto('ci_pipeline_schedule_variables')
        .values(
          numbers.map((n) => ({
            schedule_id,
            key: `FILL_${n}`,
            value: storedText<'ci_pipeline_schedule_variables.value'>(''),
            variable_type: 'env_var' as const,
          })),
        )
        .execute(),
    );
    await race(`${path}/${schedule_id}/variables`, variable, /schedule variables \(1000\) exceeded/);
  });

  it('freeze periods and trigger tokens of a project', async () => {
    const { id: project_id } = await app.make.project();
    const freeze = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1', cron_timezone: 'UTC' };
    await fill(100, (db, numbers) =>
      db
        .insertInto('freeze_periods')
        .values(numbers.map(() => ({ ...freeze, ...times, project_id })))
        .execute(),
    );
    await race(`/projects/${project_id}/freeze_periods`, () => freeze, /freeze periods \(100\) exceeded/);
    await fill(1_000, (db, numbers) =>
      db
        .insertInto('ci_triggers')
        .values(
          numbers.map((n) => ({
            ...times,
            project_id,
            owner_id: 1,
            description: 'x',
            token: `t${n}`,
            digest: `d${n}`,
          })),
        )
        .execute(),
    );
    await race(`/projects/${project_id}/triggers`, () => ({ description: 'x' }), /pipeline triggers \(1000\) exceeded/);
  });

  it('runners of a project and of a group', async () => {
    const project = await app.make.project();
    const group = await app.make.group();
    const runners = (runner_type: 'project_type' | 'group_type', group_id: number | null) =>
      fill(1_000, async (db, numbers) => {
        const rows = numbers.map((n) => ({
          ...{ runner_type, group_id, digest: `${runner_type} ${n}`, short_token: 's', registration: 'user' as const },
          ...{ access_level: 'not_protected' as const, tag_list: '[]', ...times },
        }));
        const made = await db.insertInto('ci_runners').values(rows).returning('id').execute();
        if (group_id !== null) return;
        const links = made.map(({ id }) => ({ runner_id: id, project_id: project.id, created_at: now }));
        await db.insertInto('ci_runner_projects').values(links).execute();
      });
    await runners('project_type', null);
    const ofProject = { runner_type: 'project_type', project_id: project.id };
    await race('/user/runners', () => ofProject, /registered project runners \(1000\) exceeded/);
    await runners('group_type', group.id);
    const ofGroup = { runner_type: 'group_type', group_id: group.id };
    await race('/user/runners', () => ofGroup, /registered group runners \(1000\) exceeded/);
  });
});
