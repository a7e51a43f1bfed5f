import { RetryLater } from '../../core/retry-later.ts';
import { backupRuns } from '../../db/backup-lease.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { MovedRepository } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { type Location, removeRepository, repositoryId } from '../../git/repository/index.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { findHolder } from '../holder.ts';

/** A moved repository with the location of its copy. */
export type Replica = MovedRepository & { to: Location };

interface RemovalPayload extends Location {
  move_id: number;
}

const ABANDONED = jobKind<RemovalPayload>('storage_move.abandoned', { lane: 'git' });
/** Delay in milliseconds before a location is checked for removal. */
const LOOK_AFTER_MS = 600_000;

/**
 * Records that a location holds a copy that may become obsolete, or a replaced repository: its files are removed unless
 * they are in use as a repository, whatever happens to the move. Takes the handle of a transaction.
 */
export async function removeLaterUnlessUsed(deps: Deps, db: Db, moveId: number, location: Location): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + LOOK_AFTER_MS);
  const payload = { move_id: moveId, storage: location.storage, diskPath: location.diskPath };
  await deps.jobs.enqueue(db, ABANDONED, payload, { uniqueKey: repositoryId(location), runAt });
}

/**
 * Cancels `removeLaterUnlessUsed`, because the location is a repository now, or empty.
 * @returns false if its files are already being removed
 */
export const cancelRemoval = (deps: Deps, db: Db, location: Location): Promise<boolean> =>
  deps.jobs.cancel(db, ABANDONED, repositoryId(location));

/** Removes the files of a location now, with the handle of the transaction after which they are obsolete. */
export async function removeNow(deps: Deps, db: Db, moveId: number, location: Location): Promise<void> {
  await cancelRemoval(deps, db, location);
  await deps.jobs.enqueue(db, ABANDONED, { move_id: moveId, ...location }, { uniqueKey: repositoryId(location) });
}

/** Registers the job of `removeLaterUnlessUsed`. */
export function registerReplicaRemoval(deps: Deps): void {
  deps.jobs.register(ABANDONED, async ({ move_id, ...location }) => {
    const move = await deps.db
      .selectFrom('repository_storage_moves')
      .select(['state', 'places'])
      .where('id', '=', move_id)
      .executeTakeFirst();
    const underWay = move?.state === 'started' || move?.state === 'replicated';
    const all = move === undefined ? [] : parseJson<MovedRepository[]>(move.places);
    const isNamed = all.some(({ from, to }) => [from, to].some((each) => each !== null && isSame(each, location)));
    if (underWay && isNamed) throw new RetryLater(LOOK_AFTER_MS, 'the move is in progress');
    for (const each of all) {
      const holder = await findHolder(deps.db, each);
      if (holder?.repository_storage === location.storage && holder.disk_path === location.diskPath) return;
    }
    if (await backupRuns(deps.db, deps.clock)) throw new RetryLater(60_000, 'a backup may be reading the files');
    await deps.writes.run(repositoryId(location), async () => {
      deps.storages.evict(location);
      await removeRepository(deps.storages.dirOf(location));
    });
  });
}

const isSame = (a: Location, b: Location): boolean => repositoryId(a) === repositoryId(b);
