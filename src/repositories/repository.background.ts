import type { Deps } from '../deps.ts';
import { removeStaleLocks } from '../git/files/index.ts';
import { maintain } from '../git/repository/index.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { allRepositories } from './all.ts';
import { repositoryOf } from './change-refs.ts';
import { currentHolder, HOLDER_TYPES, holderTypes } from './holder.ts';
import { registerMoves } from './moves/storage-moves.background.ts';
import { RepositoryReadOnly } from './read-only.ts';
import { registerRecovery } from './recover-intents.ts';
import { MAINTAIN, MAINTENANCE_PAUSE_MS } from './repository.maintenance.ts';
import { registerRemoval } from './repository.removal.ts';
import { removeWikis } from './repository.wikis.ts';
import { recordSnippetChange } from './snippet-files.ts';
import { orphanedBefore } from './stale-locks-of-writes.ts';
import { removeReleasesWithTags } from './tag-releases.ts';

// If it were given up, it would not run before the next start.
const SWEEP = jobKind<{ started_at: string }>('sweep-repositories', {
  lane: 'slow',
  maxAttempts: Number.POSITIVE_INFINITY,
  timeoutMs: 3_600_000,
});

/** Registers background work for repositories: housekeeping after changes, and clean-up after a crash. */
export function registerRepositoryWork(deps: Deps): void {
  deps.events.followUp(['push'], MAINTAIN.project, MAINTENANCE_PAUSE_MS);
  for (const type of holderTypes) {
    deps.jobs.register(MAINTAIN[type], async ({ [HOLDER_TYPES[type].column]: id }) => {
      const now = await currentHolder(deps.db, { type, id: id! });
      if (now?.busy) throw new RepositoryReadOnly();
      if (now !== undefined) await maintain(deps.storages.open(now.location));
    });
  }
  deps.refChanges.project.observers.push(removeReleasesWithTags(deps));
  deps.refChanges.snippet.observers.push(recordSnippetChange(deps));
  registerRecovery(deps);
  registerRemoval(deps);
  registerMoves(deps);
  deps.lifecycle.projectsRemoved.add((db, ids) => removeWikis(deps, db, 'project', ids));
  deps.lifecycle.groupsRemoved.add((db, ids) => removeWikis(deps, db, 'group', ids));
  deps.jobs.register(SWEEP, ({ started_at }, { signal }) => sweep(deps, Date.parse(started_at), signal));
}

/** Removes partial uploads, and locks that a killed process left in any repository, in batches. */
async function sweep(deps: Deps, startedAt: number, signal: AbortSignal): Promise<void> {
  const before = () => new Date(Math.min(startedAt, orphanedBefore(deps).getTime()));
  await deps.blobs.removeLeftovers(before());
  for await (const holder of allRepositories(deps.db)) {
    signal.throwIfAborted();
    const { type, id } = holder;
    let removed: string[];
    try {
      removed = await removeStaleLocks(repositoryOf(deps, holder).dir, before());
    } catch (error) {
      // An unreadable repository does not affect the others.
      deps.log.log('warn', 'a repository could not be scanned for leftover files', {
        [`${type}_id`]: id,
        error: String(error),
      });
      continue;
    }
    if (removed.length === 0) continue;
    deps.log.log('warn', 'leftover files of a killed process were removed', { [`${type}_id`]: id, removed });
  }
}

/** Schedules a sweep of all repositories at the start of the server, replacing a pending one. */
export async function enqueueSweep(deps: Deps): Promise<void> {
  const started_at = orphanedBefore(deps).toISOString();
  await deps.db.transaction().execute(async (db) => {
    await deps.jobs.cancel(db, SWEEP, 'all');
    await deps.jobs.enqueue(db, SWEEP, { started_at }, { uniqueKey: 'all' });
  });
}
