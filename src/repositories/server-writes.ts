import { sql } from 'kysely';
import { transactionDeps } from '../access/transaction-deps.ts';
import { notFound, refused } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import type { Repository, RepositoryPool } from '../git/git.repository.ts';
import { setHead } from '../git/git.repository-files.ts';
import { repositoryId } from '../git/git.storages.ts';
import type { RefUpdate } from '../git/refs.ts';
import { hasForks } from './has-forks.ts';
import { type CurrentHolder, currentHolder, type Holder } from './holder.ts';
import { FENCED_MS, retryWithoutOrphanedLocks } from './orphaned-locks.ts';
import { READ_ONLY, RepositoryReadOnly } from './read-only.ts';

type Key = Pick<Holder, 'type' | 'id'>;
/** Throws where this writer may no longer be the only one: its locks may be another's by now. */
type Fence = () => Promise<void>;

/**
 * A holder whose repository may be written now and lies where it was opened; undefined when it is gone. In a transaction
 * of PostgreSQL that stays so until its end; on SQLite, where one process has them all, transactions come one after the other.
 * @param deps with the transaction's handle
 * @throws RepositoryReadOnly; ApiError 400 while it waits for its deletion
 */
export async function requireWritable(
  deps: Deps,
  holder: Key,
  repo: Pick<Repository, 'id'>,
): Promise<CurrentHolder | undefined> {
  const now = await inPlace(deps, holder, repo);
  if (now !== undefined && !now.writable) throw refused(READ_ONLY);
  return now;
}

async function inPlace(deps: Deps, holder: Key, repo: Pick<Repository, 'id'>): Promise<CurrentHolder | undefined> {
  const now = await currentHolder(deps.db, holder, { hold: hasForks(deps) });
  if (now === undefined) return undefined;
  if (now.busy || repositoryId(now.location) !== repo.id) throw new RepositoryReadOnly();
  return now;
}

/** Writes under way in this process, by repository. */
const writing = new WeakMap<RepositoryPool, Map<string, Set<Promise<unknown>>>>();

function writesTo({ storages }: Deps, id: string): Set<Promise<unknown>> {
  const all = writing.get(storages.pool) ?? new Map<string, Set<Promise<unknown>>>();
  writing.set(storages.pool, all);
  const mine = all.get(id) ?? new Set();
  all.set(id, mine);
  return mine;
}

/** Moves references that no event tells of: those that only the server writes. @throws as `withoutIntent`, and as git does */
export const updateServerRefs = (
  deps: Deps,
  holder: Key,
  repo: Repository,
  updates: readonly RefUpdate[],
): Promise<void> => {
  const names = updates.map(({ ref }) => ref);
  return withoutIntent(deps, holder, repo, names, (fence) => repo.refs.transaction(updates, { fence }));
};

/** Makes HEAD name another branch. @throws as `withoutIntent`, and as git does */
export const updateHead = (deps: Deps, holder: Key, repo: Repository, branch: string): Promise<void> =>
  withoutIntent(deps, holder, repo, ['HEAD'], (fence) => setHead(repo.dir, branch, fence));

/**
 * Runs a write that no event tells of and that needs no intent: what a crash takes away of it is made again. While it runs the repository is
 * not made read-only; a move waits for it. Where an orphaned lock stands in its way that is removed, and the write runs once more.
 * @param files that it locks, relative to the repository
 * @param write changes files of the repository and asks no database; it calls `fence` when it holds its locks, before it changes anything
 * @throws RepositoryReadOnly; ApiError 404 when the holder is gone; GitError `locked`; what `write` throws
 */
export async function withoutIntent<T>(
  deps: Deps,
  holder: Key,
  repo: Repository,
  files: readonly string[],
  write: (fence: Fence) => Promise<T>,
): Promise<T> {
  const checked = async (now: Deps, fence: Fence) => {
    if ((await inPlace(now, holder, repo)) === undefined) throw notFound();
    return write(fence);
  };
  if (hasForks(deps)) {
    const once = () => deps.db.transaction().execute((db) => checked(transactionDeps(deps, db), fenceOf(db)));
    return retryWithoutOrphanedLocks(deps, holder, repo, files, once);
  }
  const writes = writesTo(deps, repo.id);
  const work = checked(deps, async () => {});
  writes.add(work);
  try {
    return await work;
  } finally {
    writes.delete(work);
    if (writes.size === 0) writing.get(deps.storages.pool)?.delete(repo.id);
  }
}

/** Whoever removes orphaned locks waits for the transaction; one that is lost is over before its writer knows of it. */
function fenceOf(db: Db): Fence {
  const from = performance.now();
  return async () => {
    if (performance.now() - from >= FENCED_MS) await sql`select 1`.execute(db);
  };
}

/** Waits for the writes without an intent that had begun in this process; on PostgreSQL the lock of the row has waited for all. */
export async function waitForWritesWithoutIntent(deps: Deps, repositoryId: string): Promise<void> {
  await Promise.allSettled(writesTo(deps, repositoryId));
}
