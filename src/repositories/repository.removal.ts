import { RetryLater } from '../core/retry-later.ts';
import { backupRuns } from '../db/backup-lease.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { type Location, type RepositoryPool, removeRepository, repositoryId } from '../git/repository/index.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';

const REMOVE_REPOSITORY = jobKind<Location>('repository.remove', { lane: 'git' });
const DISCARD_REPOSITORY = jobKind<Location & { process_id?: number }>('repository.discard', { lane: 'git' });
/**
 * Delay before the next check whether a repository is still being created after its time limit, which a clock jump can
 * cause.
 */
const STILL_MADE_PAUSE = 60_000;
/** Far longer than creating a repository takes, in milliseconds. */
const DISCARD_AFTER = 3_600_000;
/** Delay before the next check whether a backup still needs the files. */
const BACKUP_PAUSE = 60_000;

/** Repositories that this process is creating. */
const making = new WeakMap<RepositoryPool, Set<string>>();

function madeBy({ storages }: Deps): Set<string> {
  const mine = making.get(storages.pool) ?? new Set();
  making.set(storages.pool, mine);
  return mine;
}

/** Protects the files of a new repository from removal while `make` runs. @throws errors of `make` */
export async function protectWhileCreating<T>(deps: Deps, location: Location, make: () => Promise<T>): Promise<T> {
  const id = repositoryId(location);
  madeBy(deps).add(id);
  try {
    return await make();
  } finally {
    madeBy(deps).delete(id);
  }
}

/** Whether a live process may still be creating it. */
async function isStillMade(deps: Deps, location: Location, process_id: number | undefined): Promise<boolean> {
  if (process_id === undefined) return false;
  if (process_id === deps.processes.id) return madeBy(deps).has(repositoryId(location));
  return !(await deps.processes.disconnected([process_id])).has(process_id);
}

/** Enqueues the removal of a repository's files, in the transaction after which nothing refers to them. */
export async function enqueueRemoval(deps: Deps, db: Db, location: Location): Promise<void> {
  await deps.jobs.enqueue(db, REMOVE_REPOSITORY, location);
}

/**
 * Records that a repository is about to be created for a row that does not exist yet: if the process crashes, its files
 * are removed later. The transaction that writes the row must call `cancelRepositoryRemoval`.
 */
export async function removeUnlessUsed(deps: Deps, location: Location): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + DISCARD_AFTER);
  const payload = { ...location, process_id: deps.processes.id };
  await deps.jobs.enqueue(deps.db, DISCARD_REPOSITORY, payload, { uniqueKey: repositoryId(location), runAt });
}

/**
 * Cancels `removeUnlessUsed`.
 * @returns false if so much time has passed that the files are being removed
 */
export const cancelRepositoryRemoval = (deps: Deps, db: Db, location: Location): Promise<boolean> =>
  deps.jobs.cancel(db, DISCARD_REPOSITORY, repositoryId(location));

/** Registers the jobs of `enqueueRemoval` and `removeUnlessUsed`. They wait for a write or backup in progress. */
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
    if (await isStillMade(deps, location, process_id))
      throw new RetryLater(STILL_MADE_PAUSE, 'the repository is being created');
    await discard(location);
  });
}
