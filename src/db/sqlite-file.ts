import { closeSync, copyFileSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Busy } from '../core/busy.ts';
import type { SqliteOptions } from './sqlite-handle.ts';

/** The file of an embedded database. */
export interface DatabaseFile {
  /** Copies it as of now. @throws Error while another process uses it; the file system's error */
  copyTo(path: string): Promise<void>;
  /**
   * Puts another file in its place, as if it had been so all the time.
   * @param path a file made by `copyTo`, on the same file system; it is moved
   * @throws the file system's error
   */
  replaceBy(path: string): Promise<void>;
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Copies the file of a database as of now. Nobody else may write through the handle meanwhile.
 * @param options of the database
 * @throws Busy while another process uses it; the file system's error
 */
export function copyDatabase(database: DatabaseSync, { path, durable }: SqliteOptions, to: string): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec('BEGIN IMMEDIATE');
  try {
    // What is in the log is not in the file.
    if (sizeOf(`${path}-wal`) > 0)
      throw new Busy(503, '503 Service Unavailable - another process uses the database', 1);
    copyFileSync(path, to);
  } finally {
    database.exec('ROLLBACK');
  }
  if (durable) sync(to);
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

/**
 * Looks whether a copy of a database is one and has all its pages, without the milliseconds that it takes to open it (SQLite's
 * file format, section 1.3).
 * @throws Error if it is not
 */
export function checkDatabaseFile(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  const pageBytes = header.readUInt16BE(16);
  const bytes = (pageBytes === 1 ? 65_536 : pageBytes) * header.readUInt32BE(28);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC || bytes !== sizeOf(path))
    throw new Error(`${path} is no whole database`);
}

/**
 * Moves a copy of a database into the place of another one, which is closed. If that is interrupted, there may be none.
 * @param options of the other one
 * @throws the file system's error
 */
export function moveDatabase(from: string, { path, durable }: SqliteOptions): void {
  // A log of the former file would be taken for one of the new file.
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  // A file system may flush what replaces a file, which takes longer than all the rest.
  if (!durable) rmSync(path, { force: true });
  renameSync(from, path);
  if (durable) sync(dirname(path));
}
