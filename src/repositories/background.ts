import type { Deps } from '../deps.ts';
import { maintain } from '../git/maintenance.ts';
import { removeStaleLocks } from '../git/stale-locks.ts';
import { repositoryOf } from './change-refs.ts';
import { leftOverBefore } from './left-over.ts';
import { registerRecovery } from './recover-intents.ts';

/** Kind of the job that keeps a repository quick; its payload is `{ project_id }`. */
export const MAINTAIN_REPOSITORY = 'maintain-repository';
/** So long after a change of refs, so that one run serves a burst of them. */
const MAINTENANCE_PAUSE_MS = 30_000;
const SWEEP = 'sweep-repositories';
const BATCH = 200;

/** What is done for repositories in the background: upkeep after changes, and clearing up after a crash. */
export function registerRepositoryWork(deps: Deps): void {
  deps.events.followUp(['push'], MAINTAIN_REPOSITORY, MAINTENANCE_PAUSE_MS);
  deps.jobs.register<{ project_id: number }>(MAINTAIN_REPOSITORY, async ({ project_id }) => {
    const project = await deps.db
      .selectFrom('projects')
      .select(['repository_storage', 'disk_path'])
      .where('id', '=', project_id)
      .executeTakeFirst();
    if (project !== undefined) await maintain(repositoryOf(deps, project));
  });
  registerRecovery(deps);
  deps.jobs.register<{ started_at: string }>(
    SWEEP,
    ({ started_at }, { signal }) => sweep(deps, new Date(started_at), signal),
    { maxAttempts: 3, timeoutMs: 3_600_000 },
  );
}

/** Removes half an upload, and the locks that a killed process left in any repository, a batch at a time. */
async function sweep(deps: Deps, startedAt: Date, signal: AbortSignal): Promise<void> {
  await deps.blobs.removeLeftovers(startedAt);
  for (let after = 0; ; ) {
    const projects = await deps.db
      .selectFrom('projects')
      .select(['id', 'repository_storage', 'disk_path'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    if (projects.length === 0) return;
    for (const project of projects) {
      signal.throwIfAborted();
      const removed = await removeStaleLocks(repositoryOf(deps, project).dir, startedAt);
      if (removed.length > 0) {
        deps.log.log('warn', 'leftover files of a killed process were removed', { project_id: project.id, removed });
      }
    }
    after = projects.at(-1)!.id;
  }
}

/** Asks for a sweep of all repositories. For the start of the server; a request that still waits from an earlier one gives way. */
export async function enqueueSweep(deps: Deps): Promise<void> {
  const started_at = leftOverBefore(deps).toISOString();
  await deps.db.transaction().execute(async (db) => {
    await deps.jobs.cancel(db, SWEEP);
    await deps.jobs.enqueue(db, SWEEP, { started_at }, { uniqueKey: SWEEP });
  });
}
