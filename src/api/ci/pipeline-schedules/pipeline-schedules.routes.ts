import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { runSchedule } from '../../../pipelines/creation/run-schedules.ts';
import { inProjectByUser } from '../../api.access.ts';
import { PipelineListEntry, presentPipelineEntries } from '../../code/index.ts';
import { onObject } from '../../object-access.ts';
import { ListPipelines } from '../pipelines/pipelines.inputs.ts';
import { pipelineList } from '../pipelines/pipelines.list.ts';
import {
  mayRunSchedule,
  SCHEDULE_PATH,
  SCHEDULES,
  scheduleObject,
  scheduleOwner,
  scheduleWriter,
} from './pipeline-schedules.access.ts';
import { changedSchedule, listSchedules, newSchedule } from './pipeline-schedules.inputs.ts';
import { schedulesOf } from './pipeline-schedules.queries.ts';
import { PipelineSchedule, PipelineScheduleDetails } from './pipeline-schedules.responses.ts';
import { scheduleVariableRoutes } from './pipeline-schedules.variable-routes.ts';
import { presentSchedule, presentSchedules } from './pipeline-schedules.views.ts';
import { createSchedule, takeOwnership, updateSchedule } from './pipeline-schedules.writes.ts';

const ONCE_A_MINUTE = { requests: 1, periodSeconds: 60 };

/** Schedules of a project, which run pipelines periodically. */
export const pipelineScheduleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: SCHEDULES,
    summary: 'List the pipeline schedules of a project',
    access: inProjectByUser('read_pipeline_schedule'),
    input: listSchedules,
    success: { status: 200, schema: Type.Array(PipelineSchedule) },
    handler: (c) => {
      const { deps, project, input } = c;
      return c.page(schedulesOf(deps.db, project.id, input.scope), (rows) => presentSchedules(deps, c, rows));
    },
  }),
  route({
    method: 'GET',
    path: SCHEDULE_PATH,
    summary: 'Get a pipeline schedule',
    access: onObject(scheduleObject, 'read_pipeline_schedule'),
    success: { status: 200, schema: PipelineScheduleDetails },
    handler: (c) => presentSchedule(c.deps, c, c.schedule),
  }),
  route({
    method: 'GET',
    path: `${SCHEDULE_PATH}/pipelines`,
    summary: 'List the pipelines of a schedule',
    description: 'Oldest first, unless `sort` says otherwise.',
    access: onObject(scheduleObject, 'read_pipeline_schedule'),
    input: ListPipelines,
    success: { status: 200, schema: Type.Array(PipelineListEntry) },
    handler: async (c) => {
      const { deps, project, schedule, input } = c;
      const sort = c.isSent('sort') ? (input.sort ?? 'asc') : 'asc';
      const filters = { ...input, schedule_id: schedule.id, sort } as const;
      return c.page(await pipelineList(deps, project, filters), (rows) => presentPipelineEntries(deps, project, rows));
    },
  }),
  route({
    method: 'POST',
    path: SCHEDULES,
    summary: 'Create a pipeline schedule',
    description: 'Its pipelines run as the user who creates it.',
    access: inProjectByUser('create_pipeline_schedule'),
    input: newSchedule,
    success: { status: 201, schema: PipelineScheduleDetails },
    handler: async (c) => presentSchedule(c.deps, c, await createSchedule(c.deps, c, c.input)),
  }),
  route({
    method: 'PUT',
    path: SCHEDULE_PATH,
    summary: 'Update a pipeline schedule',
    access: scheduleWriter,
    input: changedSchedule,
    success: { status: 200, schema: PipelineScheduleDetails },
    handler: async (c) => presentSchedule(c.deps, c, await updateSchedule(c.deps, c, c.input)),
  }),
  route({
    method: 'POST',
    path: `${SCHEDULE_PATH}/take_ownership`,
    summary: 'Take ownership of a pipeline schedule',
    description:
      'Pipelines of a schedule run as its owner. A schedule is deactivated when its owner is deleted or blocked.',
    access: onObject(scheduleObject, 'take_pipeline_schedule'),
    success: { status: 201, schema: PipelineScheduleDetails },
    handler: async (c) => presentSchedule(c.deps, c, await takeOwnership(c.deps, c.schedule, c.caller)),
  }),
  route({
    method: 'POST',
    path: `${SCHEDULE_PATH}/play`,
    summary: 'Run a pipeline schedule now',
    description: 'Runs as the caller, at most once a minute. The next scheduled run is not affected.',
    access: onObject(scheduleObject, 'create_pipeline', {
      further: (deps, scope) => mayRunSchedule(deps, scope, scope.schedule),
    }),
    success: { status: 201, schema: Type.Object({ message: Type.String() }) },
    errors: [429],
    handler: async ({ deps, caller, schedule }) => {
      deps.limiter.check('play_pipeline_schedule', `${caller.user.id}:${schedule.id}`, ONCE_A_MINUTE);
      await runSchedule(deps, schedule, caller.user.id);
      return { message: '201 Created' };
    },
  }),
  route({
    method: 'DELETE',
    path: SCHEDULE_PATH,
    summary: 'Delete a pipeline schedule',
    access: scheduleOwner,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, schedule, request }) => {
      checkUnmodifiedSince(request, schedule.updated_at);
      await deps.db.deleteFrom('ci_pipeline_schedules').where('id', '=', schedule.id).execute();
    },
  }),
  ...scheduleVariableRoutes,
];
