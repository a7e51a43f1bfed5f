import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { emptyDatabase } from '../../test/support/databases.ts';
import { storedText } from '../core/stored-secret.ts';
import { connect } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { migrations } from '../db/migrations/index.ts';
import { SEAL } from './seal-secrets.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const ROWS = 120;

test('what an earlier version kept plain is sealed by a job, in steps, and reads as before', async () => {
  const { db } = app.deps;
  const project = await app.make.project();
  const at = `/projects/${project.id}`;
  const value = (n: number) => (n === 7 ? '1.looks-sealed' : `sesame-${n}`);
  const now = new Date().toISOString();
  const columns = { variable_type: 'env_var' as const, environment_scope: '*', created_at: now, updated_at: now };
  await db
    .insertInto('ci_variables')
    .values(
      Array.from({ length: ROWS }, (_, n) => ({
        ...columns,
        project_id: project.id,
        key: `V_${n}`,
        value: storedText<'ci_variables.value'>(n === 7 ? `plain:${value(n)}` : value(n)),
      })),
    )
    .execute();
  const schedule = { description: 'x', ref: 'main', cron: '0 1 * * *' };
  const { id } = expectStatus<Json>(await app.post(`${at}/pipeline_schedules`, { json: schedule }), 201);
  const ofSchedule = Array.from({ length: ROWS }, (_, n) => ({
    ...{ schedule_id: Number(id), key: `S_${String(n).padStart(3, '0')}`, variable_type: 'env_var' as const },
    value: storedText<'ci_pipeline_schedule_variables.value'>(value(n)),
  }));
  await db
    .insertInto('ci_pipeline_schedule_variables')
    .values(ofSchedule.with(7, { ...ofSchedule[7]!, value: storedText(`plain:${value(7)}`) }))
    .execute();
  const address = 'https://ann:sesame-pull@git.example/x.git';
  await db
    .updateTable('projects')
    .set({ import_url: storedText(address) })
    .where('id', '=', project.id)
    .execute();
  const shown = async () => ({
    variables: expectStatus<Json[]>(await app.get(`${at}/variables`, { query: { per_page: 100 } }), 200),
    schedule: expectStatus<Json>(await app.get(`${at}/pipeline_schedules/${id}`), 200),
    project: expectStatus<Json>(await app.get(at), 200).import_url,
  });
  const before = await shown();
  assert.equal(before.variables.find(({ key }) => key === 'V_7')?.value, '1.looks-sealed');
  await app.deps.jobs.enqueue(db, SEAL, {});
  await app.drain();
  for (const { table, column } of [
    { table: 'ci_variables', column: 'value' },
    { table: 'ci_pipeline_schedule_variables', column: 'value' },
    { table: 'projects', column: 'import_url' },
  ]) {
    const { rows } = await sql<{ text: string }>`select ${sql.ref(column)} as text from ${sql.table(table)}
      where ${sql.ref(column)} is not null`.execute(db);
    for (const { text } of rows) assert.match(text, /^1\.[\w-]{38,}$/, table);
  }
  assert.deepEqual(await shown(), before);
  assert.equal(before.project, 'https://*****:*****@git.example/x.git');
  const sealed = await db.selectFrom('ci_variables').select(['id', 'value']).execute();
  await app.deps.jobs.enqueue(db, SEAL, {});
  await app.drain();
  assert.deepEqual(await db.selectFrom('ci_variables').select(['id', 'value']).execute(), sealed);
});

test('an upgrade marks what looks sealed, and has the rest sealed where there is something', async (t) => {
  const known = Object.entries(migrations);
  const at = known.findIndex(([name]) => name === '0043-sealed-secrets');
  const folder = mkdtempSync(join(tmpdir(), 'stithy-seal-'));
  const database = await emptyDatabase();
  const config =
    database.url === null
      ? ({ kind: 'sqlite', path: join(folder, 'stithy.db'), durable: false } as const)
      : ({ kind: 'postgres', url: database.url } as const);
  const { db, close } = await connect(config);
  t.after(async () => {
    await close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  await migrate(db, config.kind, { known: Object.fromEntries(known.slice(0, at)) });
  const now = new Date().toISOString();
  for (const value of ['plain', '1.5', 'plain:x', '']) {
    await sql`insert into ci_variables (key, value, variable_type, environment_scope, created_at, updated_at)
      values (${`K_${value}`}, ${value}, 'env_var', '*', ${now}, ${now})`.execute(db);
  }
  await migrate(db, config.kind, { known: Object.fromEntries(known.slice(0, at + 1)) });
  const rows = await db.selectFrom('ci_variables').select('value').orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ value }) => String(value)),
    ['plain', 'plain:1.5', 'plain:plain:x', ''],
  );
  const jobs = await db.selectFrom('jobs').select(['kind', 'payload', 'state']).execute();
  assert.deepEqual(
    jobs.map(({ kind, payload, state }) => [kind, payload, state]),
    [[SEAL.name, '{}', 'waiting']],
  );
});

test('a new installation has nothing to seal', async () => {
  const fresh = await buildTestApp();
  const jobs = await fresh.deps.db.selectFrom('jobs').select('id').where('kind', '=', SEAL.name).execute();
  await fresh.close();
  assert.deepEqual(jobs, []);
});
