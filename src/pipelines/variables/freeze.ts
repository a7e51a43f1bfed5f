import { CronSchedule } from '../../core/cron.ts';
import type { Db } from '../../db/db.schema.ts';
import { prepared } from '../../db/prepared.ts';
import type { FreezePeriod } from '../../db/tables/freeze-periods.table.ts';

const periodsOf = prepared((db, { project }: { project: number }) =>
  db.selectFrom('freeze_periods').selectAll().where('project_id', '=', project),
);

/** Whether a time is in a deploy freeze of a project. */
export async function isFrozenAt(db: Db, projectId: number, at: Date): Promise<boolean> {
  const periods = await periodsOf(db, { project: projectId });
  return periods.some((period) => covers(period, at));
}

/** Whether a time is in a freeze period: its last start was later than its last end. */
function covers(period: Pick<FreezePeriod, 'freeze_start' | 'freeze_end' | 'cron_timezone'>, at: Date): boolean {
  const start = CronSchedule.parse(period.freeze_start, period.cron_timezone);
  const end = CronSchedule.parse(period.freeze_end, period.cron_timezone);
  if (start === null || end === null) return false;
  // Includes the current instant in "before".
  const soon = new Date(at.getTime() + 1_000);
  const began = start.previous(soon);
  const ended = end.previous(at);
  return began !== null && (ended === null || ended < began);
}
