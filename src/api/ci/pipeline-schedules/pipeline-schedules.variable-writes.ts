import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { CiPipelineScheduleVariable } from '../../../db/tables/ci-pipeline-schedule-variables.table.ts';
import type { Deps } from '../../../deps.ts';
import { sealedValue } from '../../../pipelines/variables/at-rest.ts';
import { keyErrors } from '../variables/variables.rules.ts';
import { findScheduleVariable } from './pipeline-schedules.queries.ts';

const MAX_VALUE = 10_000;
/** Maximum number of variables per schedule. */
const MAX = 1_000;

interface Attributes {
  value?: string;
  variable_type?: 'env_var' | 'file';
}

function checkValue({ value = '' }: Attributes): void {
  if (value.length <= MAX_VALUE) return;
  throw invalidModel({ value: [`The value of the provided variable exceeds the ${MAX_VALUE} character limit`] });
}

/** Adds a variable to a schedule. @throws ApiError 400, 404 */
export async function addVariable(
  deps: Deps,
  scheduleId: number,
  input: Attributes & { key: string; value: string },
): Promise<CiPipelineScheduleVariable> {
  const key = input.key.trim();
  const errors = keyErrors(key);
  if (errors.length > 0) throw invalidModel({ key: errors });
  checkValue(input);
  const value = sealedValue(deps, 'ci_pipeline_schedule_variables', input.value);
  const row = { schedule_id: scheduleId, key, value, variable_type: input.variable_type ?? 'env_var' };
  try {
    return await deps.db.transaction().execute(async (db) => {
      if (!(await lockRow(db, 'ci_pipeline_schedules', scheduleId))) throw notFound('Pipeline Schedule');
      await checkNumber(db, scheduleId);
      return db.insertInto('ci_pipeline_schedule_variables').values(row).returningAll().executeTakeFirstOrThrow();
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ key: ['has already been taken'] });
    throw error;
  }
}

async function checkNumber(db: Db, scheduleId: number): Promise<void> {
  const { total } = await db
    .selectFrom('ci_pipeline_schedule_variables')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('schedule_id', '=', scheduleId)
    .executeTakeFirstOrThrow();
  if (Number(total) >= MAX) throw invalidModel({ base: [`Maximum number of schedule variables (${MAX}) exceeded`] });
}

/** Updates the given attributes. @throws ApiError 400, 404 */
export async function changeVariable(
  deps: Deps,
  scheduleId: number,
  key: string,
  input: Attributes,
): Promise<CiPipelineScheduleVariable> {
  checkValue(input);
  const { db } = deps;
  const row = await findScheduleVariable(db, scheduleId, key);
  return db
    .updateTable('ci_pipeline_schedule_variables')
    .set({
      value: input.value === undefined ? row.value : sealedValue(deps, 'ci_pipeline_schedule_variables', input.value),
      variable_type: input.variable_type ?? row.variable_type,
    })
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule Variable'));
}

/** Deletes a variable. @returns the deleted variable. @throws ApiError 404 */
export async function removeVariable(
  { db }: Deps,
  scheduleId: number,
  key: string,
): Promise<CiPipelineScheduleVariable> {
  return db
    .deleteFrom('ci_pipeline_schedule_variables')
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule Variable'));
}
