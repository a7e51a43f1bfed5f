import { sql } from 'kysely';
import { openStored, SEALED, sealStored, storedText } from '../core/stored-secret.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from './jobs.kinds.ts';

/** Encrypts secrets stored in plain text by an earlier version; the job is written by a migration. */
export const SEAL = jobKind<Record<string, never>>('secrets.seal', { lane: 'slow', timeoutMs: 3_600_000 });
/** Rows per transaction: values may be files. */
const BATCH = 50;

interface SecretColumn {
  table: string;
  column: string;
  /** Primary key of the table. */
  key: readonly string[];
}

const COLUMNS: readonly SecretColumn[] = [
  { table: 'remote_mirrors', column: 'url', key: ['id'] },
  { table: 'remote_mirrors', column: 'private_key', key: ['id'] },
  { table: 'projects', column: 'import_url', key: ['id'] },
  { table: 'external_status_checks', column: 'shared_secret', key: ['id'] },
  { table: 'ci_variables', column: 'value', key: ['id'] },
  { table: 'ci_pipeline_schedule_variables', column: 'value', key: ['schedule_id', 'key'] },
  { table: 'ci_pipeline_variables', column: 'value', key: ['pipeline_id', 'key'] },
  { table: 'ci_job_variables', column: 'value', key: ['job_id', 'source', 'key'] },
];

/** Registers the job. */
export function registerSealing(deps: Deps): void {
  deps.jobs.register(SEAL, async (_payload, { signal }) => {
    let sealed = 0;
    for (const column of COLUMNS) sealed += await sealColumn(deps, column, signal);
    if (sealed > 0)
      deps.log.log('info', 'secrets stored in plain text by an earlier version were encrypted', { secrets: sealed });
  });
}

/** @returns number of encrypted values. @throws the reason of the signal */
async function sealColumn(deps: Deps, column: SecretColumn, signal: AbortSignal): Promise<number> {
  let sealed = 0;
  for (let last: readonly unknown[] | null = null; ; ) {
    signal.throwIfAborted();
    const rows = await plainRows(deps.db, column, last);
    if (rows.length === 0) return sealed;
    await deps.db.transaction().execute(async (db) => {
      const embedded = deps.config.database.kind === 'sqlite';
      // Overwritten values are also removed from the database file.
      if (embedded) await sql`pragma secure_delete = on`.execute(db);
      for (const row of rows) sealed += await sealRow(deps, db, column, row);
      if (embedded) await sql`pragma secure_delete = off`.execute(db);
    });
    const end = rows.at(-1)!;
    last = column.key.map((name) => end[name]);
  }
}

/** The next rows after a key whose secret is in plain text. */
async function plainRows(
  db: Db,
  { table, column, key }: SecretColumn,
  last: readonly unknown[] | null,
): Promise<Record<string, unknown>[]> {
  const names = sql.join(key.map((name) => sql.ref(name)));
  const { rows } = await sql<Record<string, unknown>>`
    select ${names}, ${sql.ref(column)} as secret from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${sql.ref(column)} not like ${sql.lit(`${SEALED}%`)}
      ${last === null ? sql`` : sql`and (${names}) > (${sql.join(last)})`}
    order by ${names} limit ${sql.lit(BATCH)}`.execute(db);
  return rows;
}

/** Encrypts a value, unless it has changed meanwhile. @returns 1 if it was encrypted */
async function sealRow(
  { secrets }: Deps,
  db: Db,
  { table, column, key }: SecretColumn,
  row: Record<string, unknown>,
): Promise<number> {
  const purpose = `${table}.${column}`;
  const text = openStored(secrets, storedText(String(row.secret)), purpose) ?? '';
  const same = key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealStored(secrets, text, purpose)}
    where ${sql.join(same, sql` and `)} and ${sql.ref(column)} = ${row.secret}`.execute(db);
  return Number(numAffectedRows);
}
