import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { StartupError } from '../core/startup-error.ts';
import type { Db } from './db.schema.ts';

export type Engine = 'sqlite' | 'postgres';

/** Text of all migrations by name, in order. */
export type Migrations = Readonly<Record<string, string>>;

/** An applied migration. */
export interface Applied {
  name: string;
  /** SHA-256 of its text; null if it was applied by a version without checksums. */
  checksum: string | null;
}

/** The name since the first release: old programs read it to detect a newer database. */
const TABLE = sql.table('kysely_migration');

/** Checksum of a migration, to detect edits. */
export const checksumOf = (text: string): string => hash('sha256', text, 'hex');

/** Applied migrations in order. */
export async function readHistory(db: Db, engine: Engine): Promise<Applied[]> {
  const query =
    engine === 'sqlite'
      ? sql<{ tables: number }>`select count(*) as tables from sqlite_master where name = 'kysely_migration'`
      : sql<{
          tables: number;
        }>`select count(*) as tables from pg_tables where tablename = 'kysely_migration' and schemaname = current_schema()`;
  if (Number((await query.execute(db)).rows[0]?.tables) === 0) return [];
  const { rows } = await sql<{ name: string; checksum?: string | null }>`select * from ${TABLE} order by name`.execute(
    db,
  );
  return rows.map(({ name, checksum }) => ({ name, checksum: checksum ?? null }));
}

/**
 * @param history applied migrations
 * @param known migrations of this program
 * @throws StartupError if the former are not a prefix of the latter
 */
export function checkHistory(history: readonly Applied[], known: Migrations): void {
  const names = Object.keys(known);
  const newer = history.find(({ name }) => !(name in known));
  if (newer !== undefined) {
    throw new StartupError(
      `The data was written by a newer version of Stithy (it has migration ${newer.name}). Start that version, or restore a copy from before the upgrade.`,
    );
  }
  for (const [index, { name, checksum }] of history.entries()) {
    if (names[index] !== name) {
      throw new StartupError(
        `The data was written by another version of Stithy: it has migration ${name}, but not ${names[index]}.`,
      );
    }
    if (checksum !== null && checksum !== checksumOf(known[name]!)) {
      throw new StartupError(
        `Migration ${name} was changed after this database had it: its tables are not what this program expects. Start the version that wrote the data.`,
      );
    }
  }
}

/** Prepares the history table for `recordApplied`, whatever version created it. */
export async function prepareHistory(db: Db, history: readonly Applied[], known: Migrations): Promise<void> {
  // An empty one remains after an interrupted first start.
  if (history.length === 0) await sql`drop table if exists ${TABLE}`.execute(db);
  await sql`create table if not exists ${TABLE} (name varchar(255) not null primary key, timestamp varchar(255) not null, checksum text)`.execute(
    db,
  );
  if (history.length === 0 || history.some(({ checksum }) => checksum !== null)) return;
  await sql`alter table ${TABLE} add column checksum text`.execute(db);
  for (const { name } of history) {
    await sql`update ${TABLE} set checksum = ${checksumOf(known[name]!)} where name = ${name}`.execute(db);
  }
}

/** Records a migration in the transaction that applies it. */
export async function recordApplied(db: Db, name: string, text: string): Promise<void> {
  const now = new Date().toISOString();
  await sql`insert into ${TABLE} (name, timestamp, checksum) values (${name}, ${now}, ${checksumOf(text)})`.execute(db);
}
