import { timestamp } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';

/** Longer than the time limits of git in one update. */
const UPDATE_MS = 2 * 3_600_000;
export const UPDATE_PULL_MIRROR = jobKind<{ project_id: number }>('pull-mirror.update', {
  lane: 'mirrors',
  timeoutMs: UPDATE_MS,
});
export const SCHEDULE_PULL_MIRRORS = jobKind<Record<string, never>>('pull-mirror.schedule', { lane: 'events' });

const MINUTE_MS = 60_000;
export const SCHEDULE_EVERY_MS = MINUTE_MS;
/** Pause between updates in milliseconds. */
const INTERVAL_MS = 30 * MINUTE_MS;
const LONGEST_PAUSE_MS = 300 * MINUTE_MS;
/** Number of consecutive failures after which no update is scheduled. */
const MAX_FAILURES = 14;
/** Number of mirrors scheduled in one run. */
const BATCH_SIZE = 500;

/** Whether a mirror has failed too often and waits for a person. */
export const hasFailedTooOften = (failures: number): boolean => failures >= MAX_FAILURES;

/** Time of the next update. @returns null if the mirror has failed too often */
export function nextUpdate(now: Date, failures: number): string | null {
  if (hasFailedTooOften(failures)) return null;
  return new Date(now.getTime() + Math.min(INTERVAL_MS * (failures + 1), LONGEST_PAUSE_MS)).toISOString();
}

/** A running update is not due; if its process crashes, it becomes due again after this time. */
export const leaseUntil = (now: Date): string => new Date(now.getTime() + UPDATE_MS + INTERVAL_MS).toISOString();

/**
 * Schedules updates of mirrors: at most one at a time for each project, over all processes.
 * @param db the handle of a transaction
 */
export async function requestUpdates(deps: Deps, db: Db, projectIds: readonly number[]): Promise<void> {
  if (projectIds.length === 0) return;
  await db
    .updateTable('pull_mirrors')
    .set({ next_update_at: leaseUntil(deps.clock.now()), updated_at: timestamp(deps.clock) })
    .where('project_id', 'in', projectIds)
    .execute();
  await db
    .updateTable('projects')
    .set({ import_status: 'scheduled' })
    .where('id', 'in', projectIds)
    .where('import_status', 'not in', ['scheduled', 'started'])
    .execute();
  await deps.jobs.enqueueAll(
    db,
    projectIds.map((project_id) => ({
      kind: UPDATE_PULL_MIRROR,
      payload: { project_id },
      uniqueKey: project_id,
      orderKey: `pull-mirror:${project_id}`,
      projectId: project_id,
    })),
  );
}

/** Schedules the mirrors that are due. */
export async function scheduleDue(deps: Deps): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const due = await db
      .selectFrom('pull_mirrors')
      .innerJoin('projects', 'projects.id', 'pull_mirrors.project_id')
      .select('pull_mirrors.project_id')
      .where('next_update_at', 'is not', null)
      .where('next_update_at', '<=', timestamp(deps.clock))
      .where('projects.archived', '=', 0)
      .where('projects.pending_delete', '=', 0)
      .orderBy('next_update_at')
      .limit(BATCH_SIZE)
      .execute();
    await requestUpdates(deps, db, pluck(due, 'project_id'));
  });
}
