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

/** The snapshot whose restore was interrupted; null if none was. @throws StartupError for a server without a test bench: its data would be a mixture */
function interrupted(config: Part, folders: SnapshotFolders): string | null {
  const name = folders.restoring;
  if (name === null || config.bench !== null) return name;
  throw new StartupError(
    'The server was ended while its test bench restored a snapshot. Start it once with STITHY_BENCH=1, which completes that.',
  );
}

/** @param complete gets the folder of the snapshot @throws StartupError if that fails */
async function finish(config: Part, complete: (folder: string) => Promise<void>): Promise<void> {
  const folders = new SnapshotFolders(config);
  const name = interrupted(config, folders);
  if (name === null) return;
  try {
    await complete(folders.of(name));
    folders.restoring = null;
  } catch (error) {
    throw new StartupError(
      `The server was ended while its test bench restored snapshot ${name}, which cannot be completed: ${(error as Error).message}. ` +
        `Mend that, write the name of another snapshot into ${folders.marker}, or begin with an empty data folder.`,
    );
  }
}

const finishFiles = (config: Part, folder: string): void =>
  restoreFiles(rootsOf(config), readList(folder), folder, new FolderStates());

/**
 * Completes a restore in which an earlier process was ended, on an embedded database, before it is opened.
 * @throws StartupError for a server without a test bench, or if that fails
 */
export async function finishBeforeOpen(config: Part): Promise<void> {
  const { database } = config;
  // What refuses it should do so before a database is brought up to date.
  if (database.kind !== 'sqlite') return void interrupted(config, new SnapshotFolders(config));
  await finish(config, async (folder) => {
    finishFiles(config, folder);
    putSqlite(database, folder);
  });
}

/** The same on PostgreSQL, before anything is read. @throws as `finishBeforeOpen` */
export async function finishAfterOpen(config: Part, db: Db): Promise<void> {
  if (config.database.kind === 'sqlite') return;
  await finish(config, async (folder) => {
    const putDatabase = await postgresCopies(db).prepare(folder);
    finishFiles(config, folder);
    await putDatabase();
  });
}
