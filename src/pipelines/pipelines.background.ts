import type { Deps } from '../deps.ts';
import { followDownstream } from './bridges/follow-downstream.ts';
import { registerFollowers } from './bridges/followers.ts';
import { runBridge } from './bridges/run-bridge.ts';
import { cancelRedundant } from './creation/pipeline-creation.auto-cancel.ts';
import { registerPushes } from './creation/pipeline-creation.push.ts';
import { dropPipelineRef, keepNewPipelineRef } from './creation/pipeline-ref.ts';
import { registerSchedules } from './creation/run-schedules.ts';
import { registerEnvironments } from './environments/pipeline-environments.environments.ts';
import {
  ASSIGN_RESOURCE,
  CANCEL_REDUNDANT,
  DROP_PIPELINE_REF,
  FOLLOW_DOWNSTREAM,
  KEEP_PIPELINE_REF,
  RUN_BRIDGE,
  START_DELAYED,
} from './job-kinds.ts';
import { endJobsOfFormerUsers } from './removal/former-users.ts';
import { registerOldPipelines } from './removal/old-pipelines.ts';
import { startDelayed } from './states/delayed.ts';
import { assignResource } from './states/pipeline-states.resource-groups.ts';
import { registerStuckJobs } from './states/stuck-jobs.ts';

/** Registers the background work of pipelines. */
export function registerPipelines(deps: Deps): void {
  const { jobs } = deps;
  registerPushes(deps);
  registerFollowers(deps);
  registerSchedules(deps);
  registerStuckJobs(deps);
  registerOldPipelines(deps);
  registerEnvironments(deps);
  endJobsOfFormerUsers(deps);
  jobs.register(ASSIGN_RESOURCE, ({ resource_group_id }) => assignResource(deps, resource_group_id));
  jobs.register(CANCEL_REDUNDANT, ({ pipeline_id }) => cancelRedundant(deps, pipeline_id));
  jobs.register(DROP_PIPELINE_REF, ({ project_id, pipeline_id }) => dropPipelineRef(deps, project_id, pipeline_id));
  jobs.register(FOLLOW_DOWNSTREAM, (followed) => followDownstream(deps, followed));
  jobs.register(KEEP_PIPELINE_REF, ({ pipeline_id }) => keepNewPipelineRef(deps, pipeline_id));
  jobs.register(RUN_BRIDGE, ({ job_id }) => runBridge(deps, job_id));
  jobs.register(START_DELAYED, ({ job_id }) => startDelayed(deps, job_id));
}
