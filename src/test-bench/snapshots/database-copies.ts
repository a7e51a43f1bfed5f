import { constants, copyFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { checkDatabaseFile, type DatabaseFile, moveDatabase } from '../../db/sqlite-file.ts';

/** Copies of the database that belong to the folders of snapshots. */
export interface DatabaseCopies {
  /** Copies the database. @returns its bytes @throws the database's or the file system's error */
  take(folder: string): Promise<number>;
  /**
   * Does what may fail before a copy replaces the database.
   * @returns a function that replaces it, completely or not at all
   * @throws the database's or the file system's error
   */
  prepare(folder: string): Promise<() => Promise<void>>;
  /** Removes what `take` made outside of the folder. */
  drop(folder: string): Promise<void>;
  /** Removes copies of folders that are gone. @param folders of all snapshots */
  dropOthers(folders: readonly string[]): Promise<void>;
}

type SqliteConfig = Extract<Config['database'], { kind: 'sqlite' }>;

const FILE = 'database';

/** The copy of a snapshot beside the database, so that it can be moved into its place. @throws Error for one that is not whole */
function bring({ path }: SqliteConfig, folder: string): string {
  const beside = `${path}.restoring`;
  rmSync(beside, { force: true });
  copyFileSync(join(folder, FILE), beside, constants.COPYFILE_FICLONE);
  checkDatabaseFile(beside);
  return beside;
}

/** Copies of an embedded database: its file, which replaces the one in use. */
export function sqliteCopies(config: SqliteConfig, file: DatabaseFile): DatabaseCopies {
  return {
    take: async (folder) => {
      const path = join(folder, FILE);
      await file.copyTo(path);
      return statSync(path).size;
    },
    prepare: async (folder) => {
      const path = bring(config, folder);
      return () => file.replaceBy(path);
    },
    drop: async () => {},
    dropOthers: async () => {},
  };
}

/** Puts the copy of a snapshot in the place of a database that is not open. */
export function putSqlite(config: SqliteConfig, folder: string): void {
  moveDatabase(bring(config, folder), config);
}
