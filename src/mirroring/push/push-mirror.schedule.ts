import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import { prepared } from '../../db/prepared.ts';
import type { RemoteMirror } from '../../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';

export const UPDATE_REMOTE_MIRROR = jobKind<{ mirror_id: number }>('remote-mirror.update', {
  lane: 'mirrors',
  timeoutMs: 2 * 3_600_000,
});

const MINUTE_MS = 60_000;
/** Minimum interval between updates caused by pushes. */
const INTERVAL_MS = 5 * MINUTE_MS;
const PROTECTED_INTERVAL_MS = MINUTE_MS;
/** Number of consecutive failures after which no retry is scheduled. */
const MAX_FAILURES = 3;

export const intervalOf = ({ only_protected_branches }: Pick<RemoteMirror, 'only_protected_branches'>): number =>
  only_protected_branches === 1 ? PROTECTED_INTERVAL_MS : INTERVAL_MS;

export const isRetried = (failures: number): boolean => failures < MAX_FAILURES;

/** Schedules the mirrors of a project after a push, each after its minimum interval. */
export async function scheduleAfterPush(deps: Deps, projectId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const mirrors = await enabledMirrors(db, projectId).selectAll().execute();
    const now = deps.clock.now();
    await deps.jobs.enqueueAll(
      db,
      mirrors.map((mirror) => {
        const began = mirror.last_update_started_at;
        const earliest = began === null ? now.getTime() : Date.parse(began) + intervalOf(mirror);
        return jobOf(mirror, new Date(Math.max(now.getTime(), earliest)));
      }),
    );
  });
}

const anyEnabled = prepared((db, { projectId }: { projectId: number }) =>
  enabledMirrors(db, projectId).select('id').limit(1),
);

/** Whether a project has enabled push mirrors. */
export const hasEnabledMirrors = async (db: Db, projectId: number): Promise<boolean> =>
  (await anyEnabled(db, { projectId })).length > 0;

const enabledMirrors = (db: Db, projectId: number) =>
  db.selectFrom('remote_mirrors').where('project_id', '=', projectId).where('enabled', '=', 1);

const jobOf = ({ id, project_id }: Pick<RemoteMirror, 'id' | 'project_id'>, runAt: Date) => ({
  kind: UPDATE_REMOTE_MIRROR,
  payload: { mirror_id: id },
  uniqueKey: id,
  orderKey: `remote-mirror:${id}`,
  projectId: project_id,
  runAt,
});

/**
 * Schedules the update of a mirror, now or after a delay.
 * @param db the handle of a transaction
 */
export async function requestPush(
  deps: Deps,
  db: Db,
  mirror: Pick<RemoteMirror, 'id' | 'project_id'>,
  delayMs = 0,
): Promise<void> {
  // An immediate update replaces a delayed one.
  if (delayMs === 0) await deps.jobs.cancel(db, UPDATE_REMOTE_MIRROR, mirror.id);
  await deps.jobs.enqueueAll(db, [jobOf(mirror, new Date(deps.clock.now().getTime() + delayMs))]);
}

/** Schedules an immediate update, whatever the result of the last ones. */
export async function pushNow(deps: Deps, db: Db, mirror: Pick<RemoteMirror, 'id' | 'project_id'>): Promise<void> {
  await db
    .updateTable('remote_mirrors')
    .set({ failures: 0, updated_at: timestamp(deps.clock) })
    .where('id', '=', mirror.id)
    .execute();
  await requestPush(deps, db, mirror);
}
