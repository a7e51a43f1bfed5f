import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../../db/db.schema.ts';
import { quoted, SNAPSHOT_SCHEMA, sequencesQuery, setSequence } from '../../db/dump/catalog.ts';
import { runAll, withoutForeignKeys } from '../../db/dump/foreign-keys.ts';
import type { DatabaseCopies } from './database-copies.ts';

/** File with the name of the schema. */
const FILE = 'schema';
/** Table of the last generated ids; none of the installation has such a name. */
const SEQUENCES = '~sequences';
/** About the processes that run now. */
const OF_PROCESSES: ReadonlySet<string> = new Set(['server_processes']);

const schemaOf = (folder: string): string => readFileSync(join(folder, FILE), 'utf8');
const hasSchema = (folder: string): boolean => existsSync(join(folder, FILE));
const run = (db: Db, text: string) => sql.raw(text).execute(db);
const tableIn = (schema: string, table: string): string => `${quoted(schema)}.${quoted(table)}`;

/** Tables of the installation, as `tablesOf` but without looking into the copies; or those of a copy. */
async function namesOf(db: Db, schema: string | null = null): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
     where schemaname = coalesce(${schema}, current_schema()) and tablename not like 'kysely\\_%' order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name).filter((name) => !OF_PROCESSES.has(name));
}

async function copies(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname as name from pg_namespace where starts_with(nspname, ${SNAPSHOT_SCHEMA})`.execute(db);
  return rows.map(({ name }) => name);
}

/** Copies of a PostgreSQL database: each is a schema with all tables, in the same database. */
export function postgresCopies(db: Db): DatabaseCopies {
  const dropSchema = (schema: string) => run(db, `drop schema if exists ${quoted(schema)} cascade`);
  return {
    take: async (folder) => {
      const schema = `${SNAPSHOT_SCHEMA}${randomBytes(8).toString('hex')}`;
      writeFileSync(join(folder, FILE), schema);
      await db.transaction().execute(async (db) => {
        await runAll(db, [
          `create schema ${quoted(schema)}`,
          ...(await namesOf(db)).map((name) => `create table ${tableIn(schema, name)} as table ${quoted(name)}`),
          `create table ${tableIn(schema, SEQUENCES)} (name, value) as ${sequencesQuery('postgres')}`,
        ]);
      });
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(pg_relation_size(oid)), 0)::bigint as bytes
          from pg_class where relnamespace = ${schema}::regnamespace`.execute(db);
      return Number(rows[0]!.bytes);
    },
    prepare: async (folder) => {
      const schema = schemaOf(folder);
      if (!(await copies(db)).includes(schema)) throw new Error(`the schema ${schema} of the snapshot is missing`);
      const kept = new Set(await namesOf(db, schema));
      const missing = [SEQUENCES, ...(await namesOf(db))].filter((name) => !kept.has(name));
      if (missing.length > 0) throw new Error(`the schema ${schema} of the snapshot lacks ${missing.join(', ')}`);
      return () => db.transaction().execute((db) => putBack(db, schema));
    },
    drop: async (folder) => {
      if (hasSchema(folder)) await dropSchema(schemaOf(folder));
    },
    dropOthers: async (folders) => {
      const kept = new Set(folders.filter(hasSchema).map(schemaOf));
      for (const name of await copies(db)) if (!kept.has(name)) await dropSchema(name);
    },
  };
}

/** Replaces the rows of all tables that differ, and all sequences. */
async function putBack(db: Db, schema: string): Promise<void> {
  const changed = await changedTables(db, schema);
  // Deleted rows would keep their room on the disk, again after each restore.
  const empty = changed.length === 0 ? [] : [`truncate ${changed.map(quoted).join(', ')}`];
  await withoutForeignKeys(db, changed, () =>
    runAll(db, [
      ...empty,
      ...changed.map((name) => `insert into ${quoted(name)} overriding system value table ${tableIn(schema, name)}`),
    ]),
  );
  const now = new Map((await sequencesNow(db)).map(({ name, value }) => [name, value]));
  const { rows } = await sql
    .raw<{ name: string; value: number }>(`select name, value from ${tableIn(schema, SEQUENCES)}`)
    .execute(db);
  for (const { name, value } of rows) {
    if (OF_PROCESSES.has(name) || Number(now.get(name)) === Number(value)) continue;
    await setSequence(db, 'postgres', name, Number(value));
  }
}

async function sequencesNow(db: Db): Promise<{ name: string; value: number }[]> {
  const { rows } = await sql
    .raw<{ name: string; value: number }>(`select * from (${sequencesQuery('postgres')}) as s(name, value)`)
    .execute(db);
  return rows;
}

/** Tables whose rows are not those of the copy. */
async function changedTables(db: Db, schema: string): Promise<string[]> {
  const names = await namesOf(db);
  const differs = (name: string) => {
    const [mine, kept] = [quoted(name), tableIn(schema, name)];
    return `select ${literal(name)} as name where (select count(*) from ${mine}) <> (select count(*) from ${kept})
      or exists (table ${mine} except all table ${kept})`;
  };
  const { rows } = await sql.raw<{ name: string }>(names.map(differs).join(' union all ')).execute(db);
  return rows.map(({ name }) => name);
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
