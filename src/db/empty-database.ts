import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Db } from './db.schema.ts';

/** An embedded database of this version with all tables and nothing in them. */
let empty: Buffer | null = null;
let isWanted = false;

/** Has this process keep the first empty database that it makes: all further ones are copies of it. */
export function expectManyDatabases(): void {
  isWanted = true;
}

/** Puts an empty database where none is, if one is kept. @param durable whether it has to be on disk */
export function placeEmptyDatabase(path: string, durable: boolean): void {
  if (empty === null || existsSync(path)) return;
  const temporary = `${path}.${process.pid}`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, empty);
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Keeps a new database that was just migrated, if one is wanted. */
export async function keepEmptyDatabase(db: Db, path: string): Promise<void> {
  if (!isWanted || empty !== null) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  empty = readFileSync(path);
}
