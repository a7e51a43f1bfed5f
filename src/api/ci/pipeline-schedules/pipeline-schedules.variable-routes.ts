import { Type } from 'typebox';
import { forbidden } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { maySetVariables } from '../../../pipelines/pipelines.run-rights.ts';
import type { UserScope } from '../../object-access.ts';
import { PipelineVariable } from '../pipelines/pipelines.responses.ts';
import { SCHEDULE_PATH, scheduleOwner, scheduleWriter } from './pipeline-schedules.access.ts';
import { changedScheduleVariable, keyParam, newScheduleVariable } from './pipeline-schedules.inputs.ts';
import { findScheduleVariable } from './pipeline-schedules.queries.ts';
import { addVariable, changeVariable, removeVariable } from './pipeline-schedules.variable-writes.ts';
import { presentVariable } from './pipeline-schedules.views.ts';

const params = Type.Object(keyParam);

/** @throws ApiError 403 if the project does not let the user set pipeline variables */
function requireVariables(scope: UserScope): void {
  if (!maySetVariables(scope)) throw forbidden('Insufficient permissions to set pipeline variables');
}

/** Variables of the pipelines of a schedule. */
export const scheduleVariableRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${SCHEDULE_PATH}/variables/:key`,
    summary: 'Get a variable of a pipeline schedule',
    access: scheduleOwner,
    params,
    success: { status: 200, schema: PipelineVariable },
    handler: async ({ deps, schedule, params }) =>
      presentVariable(deps, await findScheduleVariable(deps.db, schedule.id, params.key)),
  }),
  route({
    method: 'POST',
    path: `${SCHEDULE_PATH}/variables`,
    summary: 'Create a variable of a pipeline schedule',
    access: scheduleWriter,
    input: newScheduleVariable,
    success: { status: 201, schema: PipelineVariable },
    handler: async (c) => {
      requireVariables(c);
      return presentVariable(c.deps, await addVariable(c.deps, c.schedule.id, c.input));
    },
  }),
  route({
    method: 'PUT',
    path: `${SCHEDULE_PATH}/variables/:key`,
    summary: 'Update a variable of a pipeline schedule',
    access: scheduleWriter,
    params,
    input: changedScheduleVariable,
    success: { status: 200, schema: PipelineVariable },
    handler: async (c) => {
      requireVariables(c);
      return presentVariable(c.deps, await changeVariable(c.deps, c.schedule.id, c.params.key, c.input));
    },
  }),
  route({
    method: 'DELETE',
    path: `${SCHEDULE_PATH}/variables/:key`,
    summary: 'Delete a variable of a pipeline schedule',
    access: scheduleOwner,
    params,
    success: { status: 202, schema: PipelineVariable },
    handler: async ({ deps, schedule, params }) =>
      presentVariable(deps, await removeVariable(deps, schedule.id, params.key)),
  }),
];
