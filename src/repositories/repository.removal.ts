import { RetryLater } from '../core/retry-later.ts';
import { backupRuns } from '../db/backup-lease.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import type { RepositoryPool } from '../git/git.repository.ts';
import { removeRepository } from '../git/git.repository-files.ts';
import { type Location, repositoryId } from '../git/git.storages.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';

const REMOVE_REPOSITORY = jobKind<Location>('repository.remove', { lane: 'git' });
const DISCARD_REPOSITORY = jobKind<Location & { process_id?: number }>('repository.discard', { lane: 'git' });
/** When it is looked again whether somebody still makes a repository, though its time is over by a clock that has jumped. */
const STILL_MADE_PAUSE = 60_000;
/** Far longer than making a repository takes, in milliseconds. */
const DISCARD_AFTER = 3_600_000;
/** How long a removal waits before it looks again whether a backup still needs the files. */
const BACKUP_PAUSE = 60_000;

/** Repositories that this process is making. */
const making = new WeakMap<RepositoryPool, Set<string>>();

function madeBy({ storages }: Deps): Set<string> {
  const mine = making.get(storages.pool) ?? new Set();
  making.set(storages.pool, mine);
  return mine;
}

/** Keeps the files of a repository that is being made from being discarded while `make` runs. @throws what it throws */
export async function whileCreating<T>(deps: Deps, location: Location, make: () => Promise<T>): Promise<T> {
  const id = repositoryId(location);
  madeBy(deps).add(id);
  try {
    return await make();
  } finally {
    madeBy(deps).delete(id);
  }
}

/** Whether a process that lives may be making it still. */
async function isStillMade(deps: Deps, location: Location, process_id: number | undefined): Promise<boolean> {
  if (process_id === undefined) return false;
  if (process_id === deps.processes.id) return madeBy(deps).has(repositoryId(location));
  return !(await deps.processes.disconnected([process_id])).has(process_id);
}

/** Writes the job that removes a repository's files, in the transaction after which nothing refers to them. */
export async function enqueueRemoval(deps: Deps, db: Db, location: Location): Promise<void> {
  await deps.jobs.enqueue(db, REMOVE_REPOSITORY, location);
}

/**
 * Writes down that a repository is about to be made for a row that is not there yet: if the process dies in between,
 * its files are removed later. `cancelRepositoryRemoval` belongs into the transaction that writes the row.
 */
export async function removeUnlessUsed(deps: Deps, location: Location): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + DISCARD_AFTER);
  const payload = { ...location, process_id: deps.processes.id };
  await deps.jobs.enqueue(deps.db, DISCARD_REPOSITORY, payload, { uniqueKey: repositoryId(location), runAt });
}

/**
 * Takes back what `removeUnlessUsed` wrote.
 * @returns false when that was so long ago that the files are being removed
 */
export const cancelRepositoryRemoval = (deps: Deps, db: Db, location: Location): Promise<boolean> =>
  deps.jobs.cancel(db, DISCARD_REPOSITORY, repositoryId(location));

/** Names the work behind `enqueueRemoval` and `removeUnlessUsed`. A write, or a backup, that is under way ends first. */
export function registerRemoval(deps: Deps): void {
  const remove = (kind: typeof REMOVE_REPOSITORY) => async (location: Location) => {
    if (await backupRuns(deps.db, deps.clock)) {
      const runAt = new Date(deps.clock.now().getTime() + BACKUP_PAUSE);
      const key = kind === DISCARD_REPOSITORY ? { uniqueKey: repositoryId(location) } : {};
      return deps.jobs.enqueue(deps.db, kind, location, { ...key, runAt });
    }
    const repo = deps.storages.open(location);
    await deps.writes.run(repo.id, async () => {
      deps.storages.evict(location);
      await removeRepository(repo.dir);
    });
  };
  deps.jobs.register(REMOVE_REPOSITORY, remove(REMOVE_REPOSITORY));
  const discard = remove(DISCARD_REPOSITORY);
  deps.jobs.register(DISCARD_REPOSITORY, async ({ process_id, ...location }) => {
    if (await isStillMade(deps, location, process_id)) throw new RetryLater(STILL_MADE_PAUSE, 'it is being made');
    await discard(location);
  });
}
