import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { StartupError } from '../core/startup-error.ts';
import type { Db } from './db.schema.ts';

export type Engine = 'sqlite' | 'postgres';

/** Text of every migration by name, in order. */
export type Migrations = Readonly<Record<string, string>>;

/** A migration that the database has. */
export interface Applied {
  name: string;
  /** SHA-256 of its text; null where a version without checksums applied it. */
  checksum: string | null;
}

/** Whose name it has since the first release: programs of then must find in it that the data is newer than they are. */
const TABLE = sql.table('kysely_migration');

/** What is compared of a migration, so that an edited one is noticed. */
export const checksumOf = (text: string): string => hash('sha256', text, 'hex');

/** The migrations that the database has, in their order. */
export async function readHistory(db: Db, engine: Engine): Promise<Applied[]> {
  const query =
    engine === 'sqlite'
      ? sql<{ found: number }>`select count(*) as found from sqlite_master where name = 'kysely_migration'`
      : sql<{
          found: number;
        }>`select count(*) as found from pg_tables where tablename = 'kysely_migration' and schemaname = current_schema()`;
  if (Number((await query.execute(db)).rows[0]?.found) === 0) return [];
  const { rows } = await sql<{ name: string; checksum?: string | null }>`select * from ${TABLE} order by name`.execute(
    db,
  );
  return rows.map(({ name, checksum }) => ({ name, checksum: checksum ?? null }));
}

/**
 * @param history what the database has
 * @param known what this program has
 * @throws StartupError when the one is no beginning of the other
 */
export function checkHistory(history: readonly Applied[], known: Migrations): void {
  const names = Object.keys(known);
  const newer = history.find(({ name }) => !(name in known));
  if (newer !== undefined) {
    throw new StartupError(
      `The data was written by a newer version of Stithy (it has migration ${newer.name}): start that version, or go back to a copy from before the upgrade.`,
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

/** Makes the table of the migrations ready for `recordApplied`, whatever version made it. */
export async function prepareHistory(db: Db, history: readonly Applied[], known: Migrations): Promise<void> {
  // An empty one is what is left of an interrupted first start.
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

/** Enters a migration in the transaction that makes its tables. */
export async function recordApplied(db: Db, name: string, text: string): Promise<void> {
  const now = new Date().toISOString();
  await sql`insert into ${TABLE} (name, timestamp, checksum) values (${name}, ${now}, ${checksumOf(text)})`.execute(db);
}
