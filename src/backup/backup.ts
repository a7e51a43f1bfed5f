import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { VERSION } from '../core/core.version.ts';
import { StartupError } from '../core/startup-error.ts';
import { withoutFileRemoval } from '../db/backup-lease.ts';
import type { Database } from '../db/database.ts';
import { lockFile } from '../db/db.claim.ts';
import { tablesOf } from '../db/dump/catalog.ts';
import { openSnapshot, type Snapshot } from '../db/dump/dump.snapshot.ts';
import { writeDump } from '../db/dump/dump.write.ts';
import { readHistory } from '../db/migration-history.ts';
import { copyMissing, namesIn, syncPath } from '../git/files/index.ts';
import { RepositoryPool, Storages } from '../git/repository/index.ts';
import { type CopyResult, copyRepositories } from './copy-repositories.ts';
import { type FileFacts, JsonLinesWriter, readJsonLines } from './json-lines.ts';
import { blobsIn, type ContentLine, type Manifest, type RepositoryLine, snapshotName, snapshotsIn } from './layout.ts';
import { copyOwnFiles } from './server-files.ts';
import {
  changesSince,
  knownChanges,
  type SnapshotChanges,
  type UndoneRef,
  undoChanges,
  waitForIntents,
} from './undo.ts';

export interface BackupOptions {
  config: Config;
  database: Database;
  clock: Clock;
  /** The folder of backups; created if it is missing. */
  folder: string;
  /** Called with a progress message. */
  onProgress: (text: string) => void;
}

export interface Backup {
  /** Name of the backup in the folder. */
  name: string;
  manifest: Manifest;
  /** Bytes of files that earlier backups did not contain. */
  copied: number;
}

/**
 * Makes a backup while servers are running: the database, the repositories and the blobs as of one instant. Files are
 * copied after that instant; later ref changes are undone in the copy, and files cannot vanish because their removal is
 * deferred meanwhile. The backup counts once it is complete; earlier backups are not changed.
 * @throws StartupError for an unusable folder; errors of the database and the file system
 */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const { config, database, clock } = options;
  const folder = resolve(options.folder);
  refuseOwnFolders(config, folder);
  await mkdir(snapshotsIn(folder), { recursive: true, mode: 0o700 });
  const lock = lockFile(join(folder, 'backup.lock'));
  if (lock === null) throw new StartupError(`Another backup to ${folder} is in progress.`);
  try {
    await clearLeftovers(folder);
    return await withoutFileRemoval(database.db, clock, (signal) => backUp({ ...options, folder }, signal));
  } finally {
    lock.close();
  }
}

function refuseOwnFolders(config: Config, folder: string): void {
  for (const own of [config.dataDir, ...config.storages.map(({ path }) => path)]) {
    if (`${folder}${sep}`.startsWith(`${resolve(own)}${sep}`)) {
      throw new StartupError(
        `${folder} is inside ${own}, which is part of the backup. Choose another folder, preferably on another disk.`,
      );
    }
  }
}

/** Removes the remains of an interrupted backup; copied content files are kept and reused. */
async function clearLeftovers(folder: string): Promise<void> {
  for (const name of await namesIn(snapshotsIn(folder))) {
    if (name.endsWith('.part')) await rm(join(snapshotsIn(folder), name), { recursive: true, force: true });
  }
}

async function backUp(
  { config, database, clock, folder, onProgress }: BackupOptions,
  signal: AbortSignal,
): Promise<Backup> {
  const snapshot = await openSnapshot(config.database);
  const pool = new RepositoryPool({ maxProcesses: 1 });
  try {
    const takenAt = clock.now();
    const name = snapshotName(takenAt);
    const part = join(snapshotsIn(folder), `${name}.part`);
    await mkdir(part, { mode: 0o700 });
    const migrations = (await readHistory(database.db, config.database.kind)).map((migration) => migration.name);
    const known = await knownChanges(snapshot);
    const dump = await dumpDatabase(config, database, snapshot, migrations, join(part, 'database.jsonl.gz'));
    onProgress(`database: ${dump.rows} rows`);
    const raw = join(part, 'copied.jsonl.gz');
    const result = await copyAll(snapshot, new Storages(config.storages, pool), folder, raw, onProgress, signal);
    const blobs = await copyBlobs(config, folder);
    onProgress(`blobs: ${blobs.names.length}`);
    const undo = await undoSince(database, known, signal);
    const content = await writeContent(raw, undo, blobs.names, join(part, 'content.jsonl.gz'));
    await rm(raw);
    await copyOwnFiles(config.dataDir, part);
    const manifest: Manifest = {
      format: 1,
      taken_at: takenAt.toISOString(),
      finished_at: clock.now().toISOString(),
      program: VERSION.stithy,
      engine: config.database.kind,
      migration: migrations.at(-1)!,
      database: dump,
      content: { ...content, repositories: result.repositories, blobs: blobs.names.length },
      problems: result.problems,
    };
    signal.throwIfAborted();
    await keep(folder, part, name, manifest);
    return { name, manifest, copied: result.bytes + blobs.bytes };
  } finally {
    await pool.close();
    await snapshot.close();
  }
}

async function dumpDatabase(
  config: Config,
  { db }: Database,
  snapshot: Snapshot,
  migrations: readonly string[],
  path: string,
): Promise<FileFacts & { rows: number }> {
  const writer = new JsonLinesWriter(path);
  const tables = await tablesOf(db);
  const { rows } = await writeDump(snapshot, config.database.kind, tables, migrations, (line) => writer.write(line));
  return { ...(await writer.end()), rows };
}

async function copyAll(
  snapshot: Snapshot,
  storages: Storages,
  folder: string,
  path: string,
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<CopyResult> {
  const writer = new JsonLinesWriter(path);
  let count = 0;
  const onRepository = () => {
    count += 1;
    if (count % 100 === 0) onProgress(`repositories: ${count}`);
  };
  const result = await copyRepositories(snapshot, storages, folder, writer, onRepository, signal);
  await writer.end();
  onProgress(`repositories: ${count}`);
  return result;
}

/** Copies blobs that no earlier backup contains. */
async function copyBlobs(config: Config, folder: string): Promise<{ names: string[]; bytes: number }> {
  const from = join(config.dataDir, 'blobs');
  const files: string[] = [];
  for (const outer of (await namesIn(from)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const inner of await namesIn(join(from, outer))) {
      for (const name of await readdir(join(from, outer, inner))) files.push(`${outer}/${inner}/${name}`);
    }
  }
  const { bytes } = await copyMissing(from, blobsIn(folder), files);
  return { names: files.map((file) => file.slice(-64)), bytes };
}

async function undoSince({ db }: Database, known: SnapshotChanges, signal: AbortSignal): Promise<UndoneRef> {
  await waitForIntents(db, known, signal);
  return changesSince(db, known);
}

const BLOBS_A_LINE = 10_000;

/** Writes the list of repositories, as of the snapshot, and of blobs. */
async function writeContent(raw: string, undo: UndoneRef, blobs: readonly string[], path: string): Promise<FileFacts> {
  const writer = new JsonLinesWriter(path);
  for await (const line of readJsonLines<RepositoryLine>(raw)) {
    await writer.write({ ...line, refs: undoChanges(line.refs, undo.get(line.holder)) } satisfies ContentLine);
  }
  for (let at = 0; at < blobs.length; at += BLOBS_A_LINE) {
    await writer.write({ blobs: blobs.slice(at, at + BLOBS_A_LINE) } satisfies ContentLine);
  }
  return writer.end();
}

/** Completes the backup; durable when the promise is fulfilled. */
async function keep(folder: string, part: string, name: string, manifest: Manifest): Promise<void> {
  const path = join(part, 'manifest.json');
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await syncPath(path);
  await syncPath(part);
  await rename(part, join(snapshotsIn(folder), name));
  await syncPath(snapshotsIn(folder));
  await syncPath(folder);
}
