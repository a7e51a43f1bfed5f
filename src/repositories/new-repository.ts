import type { Db } from '../db/db.schema.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { type FileAction, writeActions } from '../git/commits/index.ts';
import { type Location, type Repository, removeRepository } from '../git/repository/index.ts';
import { holderTypes, tableOf } from './holder.ts';
import { cancelRepositoryRemoval, protectWhileCreating, removeUnlessUsed } from './repository.removal.ts';

/** Columns with the location of a repository. */
interface Place {
  repository_storage: string;
  disk_path: string;
}

/**
 * Creates a repository and the row that it belongs to. The repository is created first, under a unique path; the row is
 * written once it is on disk. The repository is removed if that fails or the process crashes. So no row ever lacks its
 * repository, and no repository its row.
 * @param make creates the repository in a folder that does not exist yet
 * @param insert writes the row with the handle of a transaction
 * @param storage name of the storage; default: drawn by weight
 * @throws errors of `make` and `insert`
 */
export async function withNewRepository<T>(
  deps: Deps,
  make: (dir: string) => Promise<void>,
  insert: (db: Db, place: Place) => Promise<T>,
  storage?: string,
): Promise<T> {
  const { storages } = deps;
  const { repository_storages_weighted: weights } = deps.settings.now;
  const drawn = storage ?? storages.pick(Math.random(), weights).name;
  const location = { storage: drawn, diskPath: storages.newDiskPath() };
  await removeUnlessUsed(deps, location);
  try {
    return await protectWhileCreating(deps, location, async () => {
      await make(storages.dirOf(location));
      return deps.db.transaction().execute(async (db) => {
        if (!(await cancelRepositoryRemoval(deps, db, location)))
          throw new Error('creating the repository took too long');
        return insert(db, { repository_storage: location.storage, disk_path: location.diskPath });
      });
    });
  } catch (error) {
    await discardNow(deps, location);
    throw error;
  }
}

/** Removes a repository without a row. If the database is unavailable, its pending job does. */
async function discardNow(deps: Deps, location: Location): Promise<void> {
  for (const type of holderTypes) {
    const row = await deps.db
      .selectFrom(tableOf(type))
      .select('id')
      .where('disk_path', '=', location.diskPath)
      .executeTakeFirst();
    if (row !== undefined) return;
  }
  deps.storages.evict(location);
  await removeRepository(deps.storages.dirOf(location));
  await cancelRepositoryRemoval(deps, deps.db, location);
}

export interface InitialCommit {
  branch: string;
  actions: readonly FileAction[];
  author: User;
}

/**
 * Writes the first commit of a repository that is not visible yet.
 * @param read reads from the commit while its repository is open
 * @throws CommitError for an action that cannot be applied
 */
export async function writeInitialCommit<T>(
  deps: Deps,
  dir: string,
  { author, actions, branch }: InitialCommit,
  read: (repo: Repository, oid: string) => T | Promise<T>,
): Promise<T> {
  const { pool } = deps.storages;
  const id = `new:${dir}`;
  const repo = pool.get(id, dir);
  try {
    const identity = { name: author.name, email: author.commit_email ?? author.email, date: deps.clock.now() };
    const { oid } = await writeActions(repo, {
      base: null,
      actions,
      author: identity,
      committer: identity,
      message: 'Initial commit',
    });
    await repo.refs.transaction([{ ref: `refs/heads/${branch}`, old: null, new: oid }]);
    return await read(repo, oid);
  } finally {
    pool.evict(id);
  }
}
