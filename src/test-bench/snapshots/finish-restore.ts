import type { Config } from '../../config/config.ts';
import { StartupError } from '../../core/startup-error.ts';
import type { Db } from '../../db/db.schema.ts';
import { putSqlite } from './database-copies.ts';
import { readList, rootsOf } from './file-lists.ts';
import { restoreFiles } from './files.restore.ts';
import { FolderStates } from './folder-states.ts';
import { postgresCopies } from './postgres-copies.ts';
import { SnapshotFolders } from './snapshot-folders.ts';

type Part = Pick<Config, 'bench' | 'dataDir' | 'database' | 'storages'>;

/** @throws StartupError for a server without a test bench: its data would be a mixture */
function interrupted(config: Part): { folders: SnapshotFolders; name: string } | null {
  const folders = new SnapshotFolders(config);
  const name = folders.restoring;
  if (name === null) return null;
  if (config.bench === null)
    throw new StartupError(
      'The server was ended while its test bench restored a snapshot. Start it once with STITHY_BENCH=1, which completes that.',
    );
  if (!folders.has(name)) throw new StartupError(`Snapshot ${name}, which was being restored, is missing.`);
  return { folders, name };
}

/**
 * Completes a restore in which an earlier process was ended, on an embedded database, before it is opened.
 * @throws StartupError for a server without a test bench; the file system's error
 */
export function finishBeforeOpen(config: Part): void {
  const found = interrupted(config);
  if (found === null || config.database.kind !== 'sqlite') return;
  const folder = found.folders.of(found.name);
  restoreFiles(rootsOf(config), readList(folder), folder, new FolderStates());
  putSqlite(config.database, folder);
  found.folders.restoring = null;
}

/** The same on PostgreSQL, before anything is read. @throws as `finishBeforeOpen`; the database's error */
export async function finishAfterOpen(config: Part, db: Db): Promise<void> {
  const found = interrupted(config);
  if (found === null) return;
  const folder = found.folders.of(found.name);
  const putDatabase = await postgresCopies(db).prepare(folder);
  restoreFiles(rootsOf(config), readList(folder), folder, new FolderStates());
  await putDatabase();
  found.folders.restoring = null;
}
