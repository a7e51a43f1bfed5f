import type { Deps } from '../deps.ts';
import { cancelRedundant } from './auto-cancel.ts';
import { startDelayed } from './delayed.ts';
import { registerEnvironments } from './environments.ts';
import { followDownstream } from './follow-downstream.ts';
import { endJobsOfFormerUsers } from './former-users.ts';
import {
  ASSIGN_RESOURCE,
  CANCEL_REDUNDANT,
  DROP_PIPELINE_REF,
  FOLLOW_DOWNSTREAM,
  KEEP_PIPELINE_REF,
  RUN_BRIDGE,
  START_DELAYED,
} from './jobs.ts';
import { registerOldPipelines } from './old-pipelines.ts';
import { dropPipelineRef, keepNewPipelineRef } from './pipeline-ref.ts';
import { registerPushes } from './push.ts';
import { assignResource } from './resource-groups.ts';
import { runBridge } from './run-bridge.ts';
import { registerSchedules } from './run-schedules.ts';
import { registerStuckJobs } from './stuck-jobs.ts';

/** What pipelines do by themselves: names the work in the background. */
export function registerPipelines(deps: Deps): void {
  const { jobs } = deps;
  registerPushes(deps);
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
