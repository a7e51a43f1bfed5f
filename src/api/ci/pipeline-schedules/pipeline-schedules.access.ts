import type { CiPipelineSchedule } from '../../../db/tables/ci-pipeline-schedules.table.ts';
import type { Deps } from '../../../deps.ts';
import { mayRunOn } from '../../../pipelines/pipelines.run-rights.ts';
import { onObject, type ProjectObject, type UserScope } from '../../object-access.ts';
import { ScheduleId } from './pipeline-schedules.inputs.ts';
import { findSchedule } from './pipeline-schedules.queries.ts';

export const SCHEDULES = '/projects/:id/pipeline_schedules';
export const SCHEDULE_PATH = `${SCHEDULES}/:pipeline_schedule_id`;

/** A schedule; its owner counts as its author. */
export const scheduleObject: ProjectObject<typeof ScheduleId, { schedule: CiPipelineSchedule }> = {
  noun: 'schedule',
  sees: 'read_pipeline_schedule',
  params: ScheduleId,
  find: async (deps, { project }, { pipeline_schedule_id }) => ({
    schedule: await findSchedule(deps.db, project.id, pipeline_schedule_id),
  }),
  target: (_deps, { schedule }, caller) => ({
    is: (relation) => relation === 'author' && schedule.owner_id === caller.user.id,
  }),
};

/** Whether a user may run a pipeline for the ref of the schedule. */
export const mayRunSchedule = (
  deps: Deps,
  scope: UserScope,
  { ref }: Pick<CiPipelineSchedule, 'ref'>,
): Promise<boolean> =>
  mayRunOn(deps, scope, ref.startsWith('refs/tags/') ? 'tag' : 'branch', ref.replace(/^refs\/(heads|tags)\//, ''));

/** Users who may change a schedule: its owner and Maintainers, if they may run pipelines for its ref. */
export const scheduleWriter = onObject(scheduleObject, 'update_pipeline_schedule', {
  further: (deps, scope) => mayRunSchedule(deps, scope, scope.schedule),
});

/** Users who may see the variables of a schedule and delete it. */
export const scheduleOwner = onObject(scheduleObject, 'update_pipeline_schedule');
