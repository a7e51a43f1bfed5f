import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { removeLocks } from '../git/files/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { hasForks } from './has-forks.ts';
import { HOLDER_TYPES, type Holder } from './holder.ts';
import { lockHolder } from './moves/holders.ts';

type Key = Pick<Holder, 'type' | 'id'>;

/**
 * Age in milliseconds at which a lock without a possible holder is orphaned: its process was killed. Git's housekeeping
 * locks a single reference only for a moment, and the packed references longer.
 */
export const ORPHANED_MS = 2_000;
export const PACKED_ORPHANED_MS = 30_000;
/** A writer that has taken this long checks that no process considers it dead, before it changes anything. */
export const FENCED_MS = ORPHANED_MS / 2;
/** Maximum wait for a lock that is not known to be orphaned. */
const WAIT_MS = 5_000;
const LOOK_MS = 200;

/** Files that are also locked by announced ref changes. */
const ANNOUNCED = ['HEAD', 'packed-refs'];

/**
 * Runs a write; if an orphaned lock blocks it, removes the lock and runs the write again. On SQLite, with a single
 * process, the write runs once.
 * @param files that it locks, relative to the repository: HEAD, and references that are moved without an intent
 * @throws errors of `write`; GitError `locked` for a lock that is, or may be, held
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
      // The write itself has already waited for the lock.
      until = Math.min(until, performance.now() + WAIT_MS);
      if (!(await removeOrphanedLocks(deps, holder, repo, files))) await sleep(LOOK_MS);
    }
  }
}

/**
 * A writer without an intent holds the row of the holder: while it is locked here, no connected process can be writing.
 * @returns whether none of the files is locked any more
 */
async function removeOrphanedLocks(
  deps: Deps,
  holder: Key,
  repo: Repository,
  files: readonly string[],
): Promise<boolean> {
  // Changes announced from now on have younger locks.
  const announced = await isAnnounced(deps, holder);
  const own = files.filter((file) => !ANNOUNCED.includes(file) || !announced);
  return deps.db.transaction().execute(async (db) => {
    await lockHolder(deps, db, holder);
    const free = await removeLocks(repo.dir, own, ORPHANED_MS);
    if (announced) return false;
    return (await removeLocks(repo.dir, ['packed-refs'], PACKED_ORPHANED_MS)) && free;
  });
}

/** Whether another connected process has announced a ref change. */
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
