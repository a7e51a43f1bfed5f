import { timestamp } from '../../core/clock.ts';
import { CronSchedule } from '../../core/cron.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiPipelineSchedule } from '../../db/tables/ci-pipeline-schedules.table.ts';
import type { Deps } from '../../deps.ts';

/** Next run of a schedule after an instant; null for never. */
export const nextRunOf = ({ cron, cron_timezone }: Pick<CiPipelineSchedule, 'cron' | 'cron_timezone'>, after: Date) =>
  CronSchedule.parse(cron, cron_timezone)?.next(after)?.toISOString() ?? null;

/**
 * Sets the next run of a due schedule, so that each time runs once; missed times are skipped.
 * @param db the handle of the transaction that starts the run
 * @returns whether the caller must run it: false if another process was first, or the schedule was changed or
 *   deactivated
 */
export async function advanceSchedule(
  { clock }: Pick<Deps, 'clock'>,
  db: Db,
  schedule: CiPipelineSchedule,
): Promise<boolean> {
  if (schedule.next_run_at === null) return false;
  const { numUpdatedRows } = await db
    .updateTable('ci_pipeline_schedules')
    .set({ next_run_at: nextRunOf(schedule, clock.now()) })
    .where('id', '=', schedule.id)
    .where('active', '=', 1)
    .where('next_run_at', '=', schedule.next_run_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deactivates the schedules of a user who is deleted or blocked. */
export async function deactivateSchedulesOf({ clock }: Pick<Deps, 'clock'>, db: Db, userId: number): Promise<void> {
  await db
    .updateTable('ci_pipeline_schedules')
    .set({ active: 0, updated_at: timestamp(clock) })
    .where('owner_id', '=', userId)
    .where('active', '=', 1)
    .execute();
}
