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

/**
 * Copies of an embedded database: its file, which replaces the one in use. To go back to the copy that was taken or put
 * back last, it is enough to drop what came since, which is what tests do again and again.
 */
export function sqliteCopies(config: SqliteConfig, file: DatabaseFile): DatabaseCopies {
  /** Inode of that copy. */
  let last: number | null = null;
  const inodeOf = (folder: string): number => statSync(join(folder, FILE)).ino;
  const replace = async (path: string, ino: number) => {
    last = null;
    await file.replaceBy(path);
    last = ino;
  };
  return {
    take: async (folder) => {
      const path = join(folder, FILE);
      last = null;
      await file.copyTo(path);
      const { size, ino } = statSync(path);
      last = ino;
      return size;
    },
    prepare: async (folder) => {
      const ino = inodeOf(folder);
      const path = ino === last ? null : bring(config, folder);
      return async () => {
        if (path !== null) await replace(path, ino);
        else if (!(await file.rewind())) await replace(bring(config, folder), ino);
      };
    },
    drop: async () => {},
    dropOthers: async () => {},
  };
}

/** Puts the copy of a snapshot in the place of a database that is not open. */
export function putSqlite(config: SqliteConfig, folder: string): void {
  moveDatabase(bring(config, folder), config);
}
