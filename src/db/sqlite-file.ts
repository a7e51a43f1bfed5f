import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
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
  /**
   * Drops all that was committed since the last `copyTo` or `replaceBy`, much faster than `replaceBy`.
   * @returns false, without any change, if that is not in the log alone any more
   * @throws the file system's error
   */
  rewind(): Promise<boolean>;
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

const CHUNK_BYTES = 1024 * 1024;

/** Copies all that a descriptor reads. @throws the file system's error */
function copyAll(from: number, to: string): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = openSync(to, 'w', 0o600);
  try {
    for (let at = 0; ; ) {
      const length = readSync(from, chunk, 0, chunk.length, at);
      if (length === 0) return;
      writeFileSync(file, chunk.subarray(0, length));
      at += length;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Copies the file of a database as of now. Nobody else may write through the handle meanwhile.
 * @param options of the database
 * @param from a descriptor of its file, which stays open: SQLite's locks on it end whenever one is closed
 * @throws Busy while another process uses it; the file system's error
 */
export function copyDatabase(database: DatabaseSync, { path, durable }: SqliteOptions, from: number, to: string): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec('BEGIN IMMEDIATE');
  try {
    // What is in the log is not in the file.
    if (sizeOf(`${path}-wal`) > 0)
      throw new Busy(503, '503 Service Unavailable - another process uses the database', 1);
    copyAll(from, to);
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

/** Bytes of the header of a log's index: SQLite makes an index without one anew, of what the log holds. */
const INDEX_HEADER = 96;

/** What the file of a database was like when its log was empty. */
interface FileState {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

function stateOf(path: string): FileState {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return { ino, size, mtimeNs };
}

/**
 * The log of a database as what can be dropped. As long as SQLite has moved nothing of it into the file, which it does
 * from 16 MB on, the file alone is the database of an earlier time.
 */
export class DroppableLog {
  readonly #options: SqliteOptions;
  #state: FileState | null = null;
  /** Stays open: SQLite's locks on the index end whenever a descriptor of it is closed. */
  #index: number | null = null;
  /** So does that of the file. */
  #file: number | null = null;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  /** Descriptor of the file, for reading; open until `close`. @throws the file system's error */
  get file(): number {
    this.#file ??= openSync(this.#options.path, 'r');
    return this.#file;
  }

  /** Notes that the log is empty. */
  mark(): void {
    this.#state = stateOf(this.#options.path);
  }

  /**
   * Drops the log, if the file is what it was at `mark`. Nobody of this process may be in a transaction.
   * @returns whether it was
   * @throws the database's or the file system's error
   */
  drop(writer: DatabaseSync): boolean {
    const { path, durable } = this.#options;
    if (this.#state === null) return false;
    // Keeps writers of other processes away.
    writer.exec('BEGIN IMMEDIATE');
    try {
      const now = stateOf(path);
      if (Object.entries(this.#state).some(([key, value]) => now[key as keyof FileState] !== value)) return false;
      this.#index ??= openSync(`${path}-shm`, 'r+');
      empty(`${path}-wal`, durable);
      writeSync(this.#index, Buffer.alloc(INDEX_HEADER), 0, INDEX_HEADER, 0);
      return true;
    } finally {
      writer.exec('ROLLBACK');
    }
  }

  /** To be called when the database is closed. */
  close(): void {
    this.#state = null;
    for (const file of [this.#index, this.#file]) if (file !== null) closeSync(file);
    this.#index = null;
    this.#file = null;
  }
}

function empty(path: string, durable: boolean): void {
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, 0);
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
