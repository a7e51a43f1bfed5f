import { sql } from 'kysely';
import type { Db } from '../db.schema.ts';
import type { Engine } from '../migration-history.ts';
import { quoted, setSequence, type TableShape, tablesOf } from './catalog.ts';
import type { DumpLine } from './dump.write.ts';
import { withoutForeignKeys } from './foreign-keys.ts';

type Row = (string | number | null)[];

const BATCH = 500;
/** Below the parameter limits of both engines. */
const MAX_PARAMETERS = 30_000;

/** Whether the installation in this database was never used. */
export async function isUnused(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
}

/**
 * Loads a dump into a migrated database without rows: completely, or nothing on failure.
 * @param lines output of `writeDump`
 * @param complete called with the transaction after all rows are loaded
 * @throws Error if a line names an unknown table, or rows refer to missing rows
 */
export async function loadDump(
  db: Db,
  engine: Engine,
  lines: AsyncIterable<DumpLine>,
  complete: (db: Db) => Promise<void> = async () => {},
): Promise<number> {
  if (engine === 'sqlite') {
    await sql`pragma foreign_keys = off`.execute(db);
    try {
      return await db.transaction().execute(async (db) => {
        const rows = await insertAll(db, engine, lines);
        const broken = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
        const first = broken.rows[0];
        if (first !== undefined)
          throw new Error(`rows of ${first.table} refer to rows of ${first.parent} that are missing`);
        await complete(db);
        return rows;
      });
    } finally {
      await sql`pragma foreign_keys = on`.execute(db);
    }
  }
  return db.transaction().execute(async (db) => {
    const rows = await withoutForeignKeys(db, null, () => insertAll(db, engine, lines));
    await complete(db);
    return rows;
  });
}

async function insertAll(db: Db, engine: Engine, lines: AsyncIterable<DumpLine>): Promise<number> {
  const shapes = new Map((await tablesOf(db)).map((shape) => [shape.name, shape]));
  // Migrations may have inserted rows.
  for (const name of shapes.keys()) await sql.raw(`delete from ${quoted(name)}`).execute(db);
  let table: TableShape | undefined;
  let batch: Row[] = [];
  let rows = 0;
  const flush = async () => {
    if (table !== undefined && batch.length > 0) await insertRows(db, table, batch);
    rows += batch.length;
    batch = [];
  };
  for await (const line of lines) {
    if (Array.isArray(line)) {
      if (table === undefined) throw new Error('the dump has rows of no table');
      batch.push(line);
      if (batch.length >= BATCH || batch.length * table.columns.length >= MAX_PARAMETERS) await flush();
    } else if ('columns' in line) {
      await flush();
      table = line;
      const known = shapes.get(line.name);
      const missing = line.columns.find((column) => !known?.columns.includes(column));
      if (known === undefined || missing !== undefined) {
        throw new Error(
          `the dump has ${known === undefined ? 'the table' : 'a column of'} ${line.name}, which this version does not know`,
        );
      }
    } else if ('sequences' in line) {
      await flush();
      for (const [name, value] of Object.entries(line.sequences)) {
        if (shapes.get(name)?.columns.includes('id')) await setSequence(db, engine, name, value);
      }
    }
  }
  return rows;
}

async function insertRows(db: Db, { name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
  const per = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length));
  for (let at = 0; at < rows.length; at += per) {
    const values = rows.slice(at, at + per).map((row) => sql`(${sql.join(row)})`);
    const into = sql.raw(`insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) values `);
    await sql`${into}${sql.join(values)}`.execute(db);
  }
}
