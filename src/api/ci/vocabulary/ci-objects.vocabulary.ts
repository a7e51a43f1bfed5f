import type { TSchema } from 'typebox';
import {
  Deployment,
  Environment,
  EnvironmentBasic,
  EnvironmentDetails,
  EnvironmentListEntry,
} from '../environments/environments.responses.ts';
import { FreezePeriod } from '../freeze-periods/freeze-periods.responses.ts';
import { Bridge, Job, JobArtifact } from '../jobs/jobs.responses.ts';
import { LintInclude, LintJob, LintResult } from '../lint/lint.responses.ts';
import { PipelineSchedule, PipelineScheduleDetails } from '../pipeline-schedules/pipeline-schedules.responses.ts';
import { PipelineVariable } from '../pipelines/pipelines.responses.ts';
import { ResourceGroup } from '../resource-groups/resource-groups.responses.ts';
import { JobRequest } from '../runner-protocol/job-response.ts';
import { RunnerJob } from '../runners/runners.job-responses.ts';
import {
  RenewedRunnerToken,
  Runner,
  RunnerDetails,
  RunnerManager,
  RunnerRegistration,
} from '../runners/runners.responses.ts';
import { Trigger } from '../triggers/triggers.responses.ts';
import { CiVariable, InstanceCiVariable } from '../variables/variables.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  Bridge,
  CiLintInclude: LintInclude,
  CiLintJob: LintJob,
  CiLintResult: LintResult,
  Deployment,
  Environment,
  EnvironmentBasic,
  EnvironmentDetails,
  EnvironmentListEntry,
  FreezePeriod,
  InstanceVariable: InstanceCiVariable,
  Job,
  JobArtifact,
  PipelineSchedule,
  PipelineScheduleDetails,
  PipelineVariable,
  ResourceGroup,
  Trigger,
  Variable: CiVariable,
  JobRequest,
  RenewedRunnerToken,
  Runner,
  RunnerDetails,
  RunnerJob,
  RunnerManager,
  RunnerRegistration,
};
