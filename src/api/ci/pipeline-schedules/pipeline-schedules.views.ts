import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { CiPipelineScheduleVariable } from '../../../db/tables/ci-pipeline-schedule-variables.table.ts';
import type { CiPipelineSchedule } from '../../../db/tables/ci-pipeline-schedules.table.ts';
import type { Deps } from '../../../deps.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';
import { presentPipelineBasic, projectUrl } from '../../code/index.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import type { UserScope } from '../../object-access.ts';
import type { PipelineVariable } from '../pipelines/pipelines.responses.ts';
import { lastPipelineOf, scheduleVariables } from './pipeline-schedules.queries.ts';
import type { PipelineSchedule, PipelineScheduleDetails } from './pipeline-schedules.responses.ts';

type Scope = Pick<UserScope, 'project' | 'permissions' | 'caller'>;

/** Whether the caller may see the inputs and variables of a schedule. */
const mayKnow = ({ permissions, caller }: Scope, { owner_id }: CiPipelineSchedule): boolean =>
  permissions.can('update_pipeline_schedule', owner_id === caller.user.id ? { as: 'author' } : {}) ||
  permissions.can('update_pipeline_schedule');

/** Renders schedules for a list; one query. */
export async function presentSchedules(
  deps: Deps,
  scope: Scope,
  rows: readonly CiPipelineSchedule[],
): Promise<Static<typeof PipelineSchedule>[]> {
  const owners = await usersById(deps.db, pluck(rows, 'owner_id'));
  return rows.map((row) => {
    const owner = owners.get(row.owner_id ?? 0);
    return {
      id: row.id,
      description: row.description,
      ref: row.ref,
      cron: row.cron,
      cron_timezone: row.cron_timezone,
      next_run_at: row.next_run_at,
      active: row.active === 1,
      created_at: row.created_at,
      updated_at: row.updated_at,
      owner: owner === undefined ? null : userBasic(deps, owner),
      ...(mayKnow(scope, row) ? { inputs: parseJson<{ name: string; value: unknown }[]>(row.inputs) } : {}),
    };
  });
}

/** Renders a single schedule; its variables only for users who may change it. */
export async function presentSchedule(
  deps: Deps,
  scope: Scope,
  row: CiPipelineSchedule,
): Promise<Static<typeof PipelineScheduleDetails>> {
  const [shown] = await presentSchedules(deps, scope, [row]);
  const last = await lastPipelineOf(deps.db, row.id);
  return {
    ...shown!,
    last_pipeline: last === undefined ? null : presentPipelineBasic(last, projectUrl(deps, scope.project)),
    ...(mayKnow(scope, row)
      ? { variables: (await scheduleVariables(deps.db, row.id)).map((each) => presentVariable(deps, each)) }
      : {}),
  };
}

export const presentVariable = (deps: Deps, row: CiPipelineScheduleVariable): Static<typeof PipelineVariable> => ({
  variable_type: row.variable_type,
  key: row.key,
  value: openedVariable(deps, 'ci_pipeline_schedule_variables', row).value,
  raw: row.raw === 1,
});
