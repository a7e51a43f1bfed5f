import { within } from '../access/within.ts';
import { notFound, refused } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/errors.ts';
import type { Repository, RepositoryPool } from '../git/repository.ts';
import { removeLocks, removeStaleLocks } from '../git/stale-locks.ts';
import { repositoryId } from '../git/storages.ts';
import { type Holder, type HolderNow, holderNow } from './holder.ts';
import { lockHolder } from './moves/holders.ts';
import { READ_ONLY, RepositoryReadOnly } from './read-only.ts';

type Key = Pick<Holder, 'type' | 'id'>;

/** Folders of references that no event tells of. */
const OWN_REFS = ['refs/merge-requests', 'refs/pipelines', 'refs/stithy'];
/** A lock of one of these that is older than this, in milliseconds, while nobody writes one, was left by a killed process. */
const LEFT_MS = 10_000;
/** The same of the lock of all packed references, which upkeep holds longer. */
const PACKED_MS = 30_000;

/**
 * A holder whose repository may be written now and lies where it was opened; undefined when it is gone. In a transaction
 * of PostgreSQL that stays so until its end; on SQLite, where one process has them all, transactions come one after the other.
 * @param deps with the transaction's handle
 * @throws RepositoryReadOnly; ApiError 400 while it waits for its deletion
 */
export async function writableNow(
  deps: Deps,
  holder: Key,
  repo: Pick<Repository, 'id'>,
): Promise<HolderNow | undefined> {
  const now = await inPlace(deps, holder, repo);
  if (now !== undefined && !now.writable) throw refused(READ_ONLY);
  return now;
}

async function inPlace(deps: Deps, holder: Key, repo: Pick<Repository, 'id'>): Promise<HolderNow | undefined> {
  const now = await holderNow(deps.db, holder, { hold: isShared(deps) });
  if (now === undefined) return undefined;
  if (now.busy || repositoryId(now.place) !== repo.id) throw new RepositoryReadOnly();
  return now;
}

/** Whether other processes may write, too. */
export const isShared = ({ config }: Deps): boolean => config.database.kind === 'postgres';

/** Writes under way in this process, by repository. */
const writing = new WeakMap<RepositoryPool, Map<string, Set<Promise<unknown>>>>();

function writesTo({ storages }: Deps, id: string): Set<Promise<unknown>> {
  const all = writing.get(storages.pool) ?? new Map<string, Set<Promise<unknown>>>();
  writing.set(storages.pool, all);
  const mine = all.get(id) ?? new Set();
  all.set(id, mine);
  return mine;
}

/**
 * Runs a write of the server's own (refs that no event tells of, HEAD) that needs no intent: what a crash takes away of it is
 * made again. While it runs the repository is not made read-only; a move waits for it.
 * @param write changes files of the repository and asks no database
 * @throws RepositoryReadOnly; ApiError 404 when the holder is gone; what `write` throws
 */
export async function writeOwn<T>(deps: Deps, holder: Key, repo: Repository, write: () => Promise<T>): Promise<T> {
  const checked = async (now: Deps) => {
    if ((await inPlace(now, holder, repo)) === undefined) throw notFound();
    return write();
  };
  if (isShared(deps)) {
    const once = () => deps.db.transaction().execute((db) => checked(within(deps, db)));
    return once().catch(async (error: unknown) => {
      if (!isLocked(error)) throw error;
      await removeLeftLocks(deps, holder, repo);
      return once();
    });
  }
  const writes = writesTo(deps, repo.id);
  const work = checked(deps);
  writes.add(work);
  try {
    return await work;
  } finally {
    writes.delete(work);
    if (writes.size === 0) writing.get(deps.storages.pool)?.delete(repo.id);
  }
}

const isLocked = (error: unknown): boolean => error instanceof GitError && error.code === 'locked';

/**
 * Removes locks that a killed process has left of references that only `writeOwn` moves: no intent names them. Whoever is at
 * such a write holds the row of the holder, so while it is locked here nobody is; git's upkeep has its locks for a moment alone.
 */
const removeLeftLocks = (deps: Deps, holder: Key, repo: Repository): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    await lockHolder(deps, db, holder);
    await removeStaleLocks(repo.dir, new Date(Date.now() - LEFT_MS), OWN_REFS);
    await removeLocks(repo.dir, ['HEAD'], LEFT_MS);
    await removeLocks(repo.dir, ['packed-refs'], PACKED_MS);
  });

/** Waits for the writes by `writeOwn` that had begun in this process; on PostgreSQL the lock of the row has waited for all. */
export async function ownWritesEnd(deps: Deps, repositoryId: string): Promise<void> {
  await Promise.allSettled(writesTo(deps, repositoryId));
}
