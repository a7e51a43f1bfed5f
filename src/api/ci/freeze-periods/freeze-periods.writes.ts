import { changesOf, type WatchedAttributes } from '../../../audit/changes.audit.ts';
import { type AuditEntry, project, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, invalidModel, notFound, recordNotFound } from '../../../core/core.errors.ts';
import { CronSchedule } from '../../../core/cron.ts';
import { zoneName } from '../../../core/time-zones.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { FreezePeriod } from '../../../db/tables/freeze-periods.table.ts';
import type { Deps } from '../../../deps.ts';

type Times = Pick<FreezePeriod, 'freeze_start' | 'freeze_end' | 'cron_timezone'>;

const updated = 'freeze_period_updated';
const WATCHED: WatchedAttributes<FreezePeriod> = {
  freeze_start: { name: updated, as: 'freeze start' },
  freeze_end: { name: updated, as: 'freeze end' },
  cron_timezone: { name: updated, as: 'cron timezone' },
};

const entryOf = (
  { id, project_id, freeze_start, freeze_end }: FreezePeriod,
  entry: Pick<AuditEntry, 'name' | 'message' | 'more'>,
): AuditEntry => ({
  ...entry,
  entity: project(project_id),
  target: { id, type: 'Ci::FreezePeriod', details: `${freeze_start} to ${freeze_end}` },
});

/** Maximum number per project: all are evaluated when a pipeline is created. */
const MAX = 100;

/** Query for the freeze periods of a project, oldest first. */
export const freezePeriodsOf = (db: Db, projectId: number) =>
  db.selectFrom('freeze_periods').selectAll().where('project_id', '=', projectId).orderBy('id');

/** @throws ApiError 404 */
export async function findFreezePeriod(db: Db, projectId: number, id: number): Promise<FreezePeriod> {
  return freezePeriodsOf(db, projectId).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

function check({ freeze_start, freeze_end, cron_timezone }: Times): void {
  const errors: FieldErrors = {};
  const wrong = ['syntax is invalid'];
  if (CronSchedule.parse(freeze_start, 'UTC') === null) errors.freeze_start = wrong;
  if (CronSchedule.parse(freeze_end, 'UTC') === null) errors.freeze_end = wrong;
  if (zoneName(cron_timezone) === null) errors.cron_timezone = wrong;
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** @throws ApiError 400, 404 */
export async function createFreezePeriod(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  projectId: number,
  { freeze_start, freeze_end, cron_timezone = 'UTC' }: Omit<Times, 'cron_timezone'> & Partial<Times>,
): Promise<FreezePeriod> {
  const times = { freeze_start, freeze_end, cron_timezone };
  check(times);
  const now = timestamp(clock);
  return db.transaction().execute(async (db) => {
    if (!(await lockRow(db, 'projects', projectId))) throw notFound();
    const row = await db
      .insertInto('freeze_periods')
      .values({ ...times, project_id: projectId, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    const all = await freezePeriodsOf(db, projectId)
      .limit(MAX + 1)
      .execute();
    if (all.length > MAX) throw invalidModel({ base: [`Maximum number of freeze periods (${MAX}) exceeded`] });
    await recordAudit({ clock }, db, entryOf(row, { name: 'freeze_period_created', message: 'Added freeze period' }));
    return row;
  });
}

/** Updates the given attributes. @throws ApiError 400, 404 */
export async function updateFreezePeriod(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  projectId: number,
  id: number,
  input: Partial<Times>,
): Promise<FreezePeriod> {
  return db.transaction().execute(async (db) => {
    await lockRow(db, 'projects', projectId);
    const before = await findFreezePeriod(db, projectId, id);
    const { freeze_start, freeze_end, cron_timezone } = { ...before, ...input };
    const times = { freeze_start, freeze_end, cron_timezone };
    check(times);
    const row = await db
      .updateTable('freeze_periods')
      .set({ ...times, updated_at: timestamp(clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    const entry = changesOf(before, row, WATCHED).map((each) => entryOf(row, each));
    await recordAudit({ clock }, db, entry);
    return row;
  });
}

/**
 * Deletes a freeze period.
 * @param check receives the row before deletion; may throw
 * @throws ApiError 404
 */
export async function removeFreezePeriod(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  projectId: number,
  id: number,
  check: (now: FreezePeriod) => void,
): Promise<void> {
  await db.transaction().execute(async (db) => {
    await lockRow(db, 'projects', projectId);
    const row = await findFreezePeriod(db, projectId, id);
    check(row);
    await db.deleteFrom('freeze_periods').where('id', '=', id).execute();
    await recordAudit({ clock }, db, entryOf(row, { name: 'freeze_period_deleted', message: 'Removed freeze period' }));
  });
}
