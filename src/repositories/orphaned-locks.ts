import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/git.errors.ts';
import type { Repository } from '../git/git.repository.ts';
import { removeLocks } from '../git/stale-locks.ts';
import { hasForks } from './has-forks.ts';
import { HOLDER_TYPES, type Holder } from './holder.ts';
import { lockHolder } from './moves/holders.ts';

type Key = Pick<Holder, 'type' | 'id'>;

/**
 * A lock that stands for so long, in milliseconds, with nobody at work who may hold it is orphaned: its process was killed. Git's upkeep
 * locks a reference for a moment, and all that are packed for longer.
 */
export const ORPHANED_MS = 2_000;
export const PACKED_ORPHANED_MS = 30_000;
/** A writer that has been at it for so long makes sure that nobody takes it for dead before it changes anything. */
export const FENCED_MS = ORPHANED_MS / 2;
/** So long a lock is waited for of which it does not show yet whether it is orphaned. */
const WAIT_MS = 5_000;
const LOOK_MS = 200;

/** Files that changes of references lock which were announced by an intent, too. */
const ANNOUNCED = ['HEAD', 'packed-refs'];

/**
 * Runs a write; where a lock of a process that was killed beside this one stands in its way, once more without it. On SQLite, with one
 * process, the write runs once.
 * @param files that it locks, relative to the repository: HEAD, and references that are moved without an intent
 * @throws what `write` throws; GitError `locked` for a lock that somebody holds, or may hold
 */
export async function retryWithoutOrphanedLocks<T>(
  deps: Deps,
  holder: Key,
  repo: Repository,
  files: readonly string[],
  write: () => Promise<T>,
): Promise<T> {
  if (!hasForks(deps)) return write();
  for (let until = Number.POSITIVE_INFINITY; ; ) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== 'locked' || performance.now() >= until) throw error;
      // The write itself has waited for the lock.
      until = Math.min(until, performance.now() + WAIT_MS);
      if (!(await removeOrphanedLocks(deps, holder, repo, files))) await sleep(LOOK_MS);
    }
  }
}

/**
 * Whoever writes without an intent holds the row of the holder: while that is locked here, nobody is at it who is connected to the database.
 * @returns whether none of the files is locked any more
 */
async function removeOrphanedLocks(
  deps: Deps,
  holder: Key,
  repo: Repository,
  files: readonly string[],
): Promise<boolean> {
  // What is announced from now on has younger locks.
  const announced = await isAnnounced(deps, holder);
  const own = files.filter((file) => !ANNOUNCED.includes(file) || !announced);
  return deps.db.transaction().execute(async (db) => {
    await lockHolder(deps, db, holder);
    const free = await removeLocks(repo.dir, own, ORPHANED_MS);
    if (announced) return false;
    return (await removeLocks(repo.dir, ['packed-refs'], PACKED_ORPHANED_MS)) && free;
  });
}

/** Whether another process that is connected has announced a change of references. */
async function isAnnounced({ db, processes }: Deps, { type, id }: Key): Promise<boolean> {
  const rows = await db
    .selectFrom('ref_intents')
    .select('process_id')
    .where(HOLDER_TYPES[type].column, '=', id)
    .where('process_id', 'is distinct from', processes.id)
    .execute();
  const ids = rows.flatMap(({ process_id }) => process_id ?? []);
  return rows.length > ids.length || (await processes.disconnected(ids)).size < new Set(ids).size;
}
