import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiPipelineScheduleVariable } from '../../../db/tables/ci-pipeline-schedule-variables.table.ts';
import type { CiPipelineSchedule } from '../../../db/tables/ci-pipeline-schedules.table.ts';

/** Query for the schedules of a project, oldest first. */
export function schedulesOf(db: Db, projectId: number, scope?: 'active' | 'inactive') {
  const rows = db.selectFrom('ci_pipeline_schedules').selectAll().where('project_id', '=', projectId).orderBy('id');
  return scope === undefined ? rows : rows.where('active', '=', scope === 'active' ? 1 : 0);
}

/** @throws ApiError 404 */
export async function findSchedule(db: Db, projectId: number, id: number): Promise<CiPipelineSchedule> {
  const row = await schedulesOf(db, projectId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Pipeline Schedule');
  return row;
}

/** Returns the variables of a schedule, ordered by key. */
export const scheduleVariables = (db: Db, scheduleId: number): Promise<CiPipelineScheduleVariable[]> =>
  db
    .selectFrom('ci_pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('key')
    .execute();

/** @throws ApiError 404 */
export async function findScheduleVariable(
  db: Db,
  scheduleId: number,
  key: string,
): Promise<CiPipelineScheduleVariable> {
  return db
    .selectFrom('ci_pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule Variable'));
}

/** Query for the latest pipeline of a schedule. */
export const lastPipelineOf = (db: Db, scheduleId: number) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
