import { sql } from 'kysely';
import { transactionDeps } from '../access/transaction-deps.ts';
import { notFound, refused } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import type { RefUpdate } from '../git/refs/index.ts';
import { type Repository, type RepositoryPool, repositoryId, setHead } from '../git/repository/index.ts';
import { hasForks } from './has-forks.ts';
import { type CurrentHolder, currentHolder, type Holder } from './holder.ts';
import { FENCED_MS, retryWithoutOrphanedLocks } from './orphaned-locks.ts';
import { READ_ONLY, RepositoryReadOnly } from './read-only.ts';

type Key = Pick<Holder, 'type' | 'id'>;
/** Throws if this writer may have lost its locks to another one. */
type Fence = () => Promise<void>;

/**
 * Returns the holder if its repository is writable and at the opened location; undefined if it no longer exists. In a
 * transaction on PostgreSQL this holds until its end; on SQLite, with a single process, transactions are serialized.
 * @param deps with the transaction's handle
 * @throws RepositoryReadOnly; ApiError 400 if it awaits deletion
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

/** Writes in progress in this process, by repository. */
const writing = new WeakMap<RepositoryPool, Map<string, Set<Promise<unknown>>>>();

function writesTo({ storages }: Deps, id: string): Set<Promise<unknown>> {
  const all = writing.get(storages.pool) ?? new Map<string, Set<Promise<unknown>>>();
  writing.set(storages.pool, all);
  const mine = all.get(id) ?? new Set();
  all.set(id, mine);
  return mine;
}

/** Moves references without an event: those that only the server writes. @throws as `withoutIntent`; errors of git */
export const updateServerRefs = (
  deps: Deps,
  holder: Key,
  repo: Repository,
  updates: readonly RefUpdate[],
): Promise<void> => {
  const names = updates.map(({ ref }) => ref);
  return withoutIntent(deps, holder, repo, names, (fence) => repo.refs.transaction(updates, { fence }));
};

/** Makes HEAD point to another branch. @throws as `withoutIntent`; errors of git */
export const updateHead = (deps: Deps, holder: Key, repo: Repository, branch: string): Promise<void> =>
  withoutIntent(deps, holder, repo, ['HEAD'], (fence) => setHead(repo.dir, branch, fence));

/**
 * Runs a write without an event or intent, because it can be repeated after a crash. The repository is not made
 * read-only meanwhile; a move waits for it. If an orphaned lock blocks it, the lock is removed and the write runs
 * again.
 * @param files that it locks, relative to the repository
 * @param write changes files of the repository without the database; calls `fence` once it holds its locks, before it
 *   changes anything
 * @throws RepositoryReadOnly; ApiError 404 if the holder no longer exists; GitError `locked`; errors of `write`
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

/**
 * A process that removes orphaned locks waits for the transaction, and a lost transaction ends before its writer
 * notices.
 */
function fenceOf(db: Db): Fence {
  const from = performance.now();
  return async () => {
    if (performance.now() - from >= FENCED_MS) await sql`select 1`.execute(db);
  };
}

/**
 * Waits for writes without an intent that began in this process; on PostgreSQL the row lock has waited for all of them.
 */
export async function waitForWritesWithoutIntent(deps: Deps, repositoryId: string): Promise<void> {
  await Promise.allSettled(writesTo(deps, repositoryId));
}
