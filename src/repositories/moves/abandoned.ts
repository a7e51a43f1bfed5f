import { ComesAgain } from '../../core/comes-again.ts';
import { backupRuns } from '../../db/backup-lease.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/schema.ts';
import type { MovedRepository } from '../../db/tables/storage-moves.ts';
import type { Deps } from '../../deps.ts';
import { removeRepository } from '../../git/repository-files.ts';
import { type Location, repositoryId } from '../../git/storages.ts';
import { jobKind } from '../../jobs/kinds.ts';
import { findHolder } from '../holder.ts';

/** A repository that is moved, with the place of its copy. */
export type Replica = MovedRepository & { to: Location };

interface Abandoned extends Location {
  move_id: number;
}

const ABANDONED = jobKind<Abandoned>('storage_move.abandoned', { lane: 'git' });
/** How long a place is left alone before somebody looks whether it is needed, in milliseconds. */
const LOOK_AFTER_MS = 600_000;

/**
 * Writes down that a place holds a copy that may come to nothing, or what a copy has replaced: whatever becomes of the move,
 * and of what is moved, the files are removed unless they are a repository's. With the handle of a transaction.
 */
export async function abandonUnlessKept(deps: Deps, db: Db, moveId: number, place: Location): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + LOOK_AFTER_MS);
  const payload = { move_id: moveId, storage: place.storage, diskPath: place.diskPath };
  await deps.jobs.enqueue(db, ABANDONED, payload, { uniqueKey: repositoryId(place), runAt });
}

/**
 * Takes back what `abandonUnlessKept` wrote, because the place is a repository's now, or empty.
 * @returns false when its files are being removed
 */
export const keep = (deps: Deps, db: Db, place: Location): Promise<boolean> =>
  deps.jobs.cancel(db, ABANDONED, repositoryId(place));

/** Has what is in a place removed now, with the handle of the transaction after which nobody needs it. */
export async function removeNow(deps: Deps, db: Db, moveId: number, place: Location): Promise<void> {
  await keep(deps, db, place);
  await deps.jobs.enqueue(db, ABANDONED, { move_id: moveId, ...place }, { uniqueKey: repositoryId(place) });
}

/** Names the work behind `abandonUnlessKept`. */
export function registerAbandoned(deps: Deps): void {
  deps.jobs.register(ABANDONED, async ({ move_id, ...place }) => {
    const move = await deps.db
      .selectFrom('repository_storage_moves')
      .select(['state', 'places'])
      .where('id', '=', move_id)
      .executeTakeFirst();
    const underWay = move?.state === 'started' || move?.state === 'replicated';
    const all = move === undefined ? [] : parseJson<MovedRepository[]>(move.places);
    const isNamed = all.some(({ from, to }) => [from, to].some((each) => each !== null && isSame(each, place)));
    if (underWay && isNamed) throw new ComesAgain(LOOK_AFTER_MS, 'the move is under way');
    for (const each of all) {
      const holder = await findHolder(deps.db, each);
      if (holder?.repository_storage === place.storage && holder.disk_path === place.diskPath) return;
    }
    if (await backupRuns(deps.db, deps.clock)) throw new ComesAgain(60_000, 'a backup may need the files');
    await deps.writes.run(repositoryId(place), async () => {
      deps.storages.forget(place);
      await removeRepository(deps.storages.dirOf(place));
    });
  });
}

const isSame = (a: Location, b: Location): boolean => repositoryId(a) === repositoryId(b);
