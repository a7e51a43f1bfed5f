import { timestamp } from '../../core/clock.ts';
import { CronSchedule } from '../../core/cron.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiPipelineSchedule } from '../../db/tables/ci-pipeline-schedules.table.ts';
import type { Deps } from '../../deps.ts';

/** When a schedule is due next after an instant; null where it never is. */
export const nextRunOf = ({ cron, cron_timezone }: Pick<CiPipelineSchedule, 'cron' | 'cron_timezone'>, after: Date) =>
  CronSchedule.parse(cron, cron_timezone)?.next(after)?.toISOString() ?? null;

/**
 * Says when a schedule that is due comes next, so that it is run once for a time: times that passed meanwhile are left out.
 * @param db the handle of the transaction that makes it run
 * @returns whether it is the caller's to run: false where another process was first, or it was changed or switched off
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

/** Switches off what would run in the name of a user, who is gone or may do nothing any more. */
export async function deactivateSchedulesOf({ clock }: Pick<Deps, 'clock'>, db: Db, userId: number): Promise<void> {
  await db
    .updateTable('ci_pipeline_schedules')
    .set({ active: 0, updated_at: timestamp(clock) })
    .where('owner_id', '=', userId)
    .where('active', '=', 1)
    .execute();
}
