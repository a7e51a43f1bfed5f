import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { silentLogger } from '../core/logger.ts';
import { StartupError } from '../core/startup-error.ts';
import { dropBackupLeases } from '../db/backup-lease.ts';
import { connect, type Database } from '../db/database.ts';
import { claimData } from '../db/db.claim.ts';
import type { Db } from '../db/db.schema.ts';
import { isUnused, loadDump } from '../db/dump/dump.load.ts';
import type { DumpLine } from '../db/dump/dump.write.ts';
import { migrate } from '../db/migrate.ts';
import { migrations } from '../db/migrations/index.ts';
import { copyMissing } from '../git/files/index.ts';
import { JobQueue } from '../jobs/jobs.queue.ts';
import { factsOf, readJsonLines } from './json-lines.ts';
import {
  blobPath,
  blobsIn,
  type ContentLine,
  type Manifest,
  objectsIn,
  readManifest,
  snapshotNames,
  snapshotsIn,
} from './layout.ts';
import { moveIntoPlace } from './place-repository.ts';
import { restoreOwnFiles } from './server-files.ts';

export interface RestoreOptions {
  config: Config;
  clock: Clock;
  folder: string;
  /** Name of the backup; null for the newest. */
  name: string | null;
  /** Called with a progress message. */
  onProgress: (text: string) => void;
}

/**
 * Restores a backup into the configured data folder, storages and database, which must not contain an installation. The
 * database engine may differ. Database rows are restored last and in one transaction, so an interrupted restore leaves
 * no installation behind and can be repeated.
 * @returns name and manifest of the backup
 * @throws StartupError if the backup is missing, damaged or newer than this program, or if the target is not empty
 */
export async function restoreBackup(options: RestoreOptions): Promise<{ name: string; manifest: Manifest }> {
  const { config } = options;
  const folder = resolve(options.folder);
  const name = await choose(folder, options.name);
  const manifest = await readManifest(folder, name);
  await checkFiles(folder, name, manifest);
  for (const dir of [config.dataDir, ...config.storages.map(({ path }) => path)]) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  }
  const claim = await claimData(config.database);
  try {
    if (!claim.alone)
      throw new StartupError('A server is using this database. Stop it, or restore into another database.');
    const database = await connect(config.database);
    try {
      await migrate(database.db, config.database.kind, { known: migrationsUpTo(manifest) });
      if (!(await isUnused(database.db))) {
        throw new StartupError(
          'The target already contains an installation. Restore into an empty data folder and database.',
        );
      }
      await putFiles(options, folder, name);
      await restoreOwnFiles(join(snapshotsIn(folder), name), config.dataDir);
      await putDatabase(options, folder, name, database);
    } finally {
      await database.close();
    }
  } finally {
    await claim.release();
  }
  return { name, manifest };
}

async function choose(folder: string, backupName: string | null): Promise<string> {
  const names = await snapshotNames(folder);
  const name = backupName ?? names.at(-1);
  if (name !== undefined && names.includes(name)) return name;
  throw new StartupError(
    names.length === 0
      ? `There is no backup in ${folder}.`
      : `There is no backup ${backupName} in ${folder}. Available backups: ${names.join(', ')}.`,
  );
}

/**
 * The migrations applied to the database of the backup. @throws StartupError if the backup was made by a newer program
 */
function migrationsUpTo({ migration, program }: Manifest): Readonly<Record<string, string>> {
  const names = Object.keys(migrations);
  const last = names.indexOf(migration);
  if (last < 0) {
    throw new StartupError(
      `The backup was made by Stithy ${program}, which is newer than this version. Restore it with that version.`,
    );
  }
  return Object.fromEntries(Object.entries(migrations).slice(0, last + 1));
}

async function checkFiles(folder: string, name: string, { database, content }: Manifest): Promise<void> {
  for (const [file, backupName] of [
    ['database.jsonl.gz', database],
    ['content.jsonl.gz', content],
  ] as const) {
    const { sha256 } = await factsOf(join(snapshotsIn(folder), name, file));
    if (sha256 !== backupName.sha256)
      throw new StartupError(`File ${file} of backup ${name} is damaged. Restore another backup.`);
  }
}

const contentOf = (folder: string, name: string) =>
  readJsonLines<ContentLine>(join(snapshotsIn(folder), name, 'content.jsonl.gz'));

/** Restores immutable files: objects of repositories, and blobs. */
async function putFiles({ config, onProgress }: RestoreOptions, folder: string, name: string): Promise<void> {
  let repositories = 0;
  for await (const line of contentOf(folder, name)) {
    const [from, to, files] =
      'blobs' in line
        ? [blobsIn(folder), join(config.dataDir, 'blobs'), line.blobs.map(blobPath)]
        : [objectsIn(folder, line), join(directoryOf(config, line), 'objects'), line.objects];
    await mkdir(to, { recursive: true, mode: 0o700 });
    const { vanished } = await copyMissing(from, to, files);
    if (vanished) throw new StartupError(`Files of backup ${name} are missing in ${from}. Restore another backup.`);
    if ('blobs' in line) continue;
    repositories += 1;
    if (repositories % 100 === 0) onProgress(`repositories: ${repositories}`);
  }
  onProgress(`repositories: ${repositories}`);
}

function directoryOf({ storages }: Config, { storage, disk_path }: { storage: string; disk_path: string }): string {
  const target = storages.find(({ name }) => name === storage);
  if (target === undefined) {
    throw new StartupError(
      `The backup contains repositories of storage "${storage}". Add this storage to STITHY_STORAGES.`,
    );
  }
  return join(target.path, `${disk_path}.git`);
}

async function putDatabase(
  { config, clock, onProgress }: RestoreOptions,
  folder: string,
  name: string,
  { db }: Database,
): Promise<void> {
  const complete = async (db: Db) => {
    await dropBackupLeases(db);
    const jobs = new JobQueue(db, clock, silentLogger, config.database.kind === 'postgres');
    for await (const line of contentOf(folder, name)) {
      if (!('blobs' in line)) await moveIntoPlace(db, { jobs, clock }, directoryOf(config, line), line);
    }
  };
  const lines = readJsonLines<DumpLine>(join(snapshotsIn(folder), name, 'database.jsonl.gz'));
  const rows = await loadDump(db, config.database.kind, lines, complete);
  onProgress(`database: ${rows} rows`);
}
