import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';

/** Longer than git may take for all that an update asks of it. */
const UPDATE_MS = 2 * 3_600_000;
export const UPDATE_PULL_MIRROR = jobKind<{ project_id: number }>('pull-mirror.update', {
  lane: 'mirrors',
  timeoutMs: UPDATE_MS,
});
export const SCHEDULE_PULL_MIRRORS = jobKind<Record<string, never>>('pull-mirror.schedule', { lane: 'events' });

const MINUTE_MS = 60_000;
export const SCHEDULE_EVERY_MS = MINUTE_MS;
/** Pause after an update, in milliseconds. */
const INTERVAL_MS = 30 * MINUTE_MS;
const LONGEST_PAUSE_MS = 300 * MINUTE_MS;
/** After so many failures in a row no update comes by itself any more. */
const MAX_FAILURES = 14;
/** Mirrors that are sent on their way in one run. */
const BATCH_SIZE = 500;

/** Whether a mirror waits for a person. */
export const hasFailedTooOften = (failures: number): boolean => failures >= MAX_FAILURES;

/** When a mirror is due again. @returns null where it has failed too often */
export function nextUpdate(now: Date, failures: number): string | null {
  if (hasFailedTooOften(failures)) return null;
  return new Date(now.getTime() + Math.min(INTERVAL_MS * (failures + 1), LONGEST_PAUSE_MS)).toISOString();
}

/** While an update runs it is not due; one whose process died for good comes again after this. */
export const leaseUntil = (now: Date): string => new Date(now.getTime() + UPDATE_MS + INTERVAL_MS).toISOString();

/**
 * Has mirrors updated as soon as a worker is free: one run at a time for each project, among all processes.
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

/** Has the mirrors updated that are due. */
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
    await requestUpdates(
      deps,
      db,
      due.map(({ project_id }) => project_id),
    );
  });
}
