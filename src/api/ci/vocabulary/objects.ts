import type { TSchema } from 'typebox';
import {
  Deployment,
  Environment,
  EnvironmentBasic,
  EnvironmentDetails,
  EnvironmentListEntry,
} from '../environments/answers.ts';
import { FreezePeriod } from '../freeze-periods/answers.ts';
import { Bridge, Job, JobArtifact } from '../jobs/answers.ts';
import { LintInclude, LintJob, LintResult } from '../lint/answers.ts';
import { PipelineSchedule, PipelineScheduleDetails } from '../pipeline-schedules/answers.ts';
import { PipelineVariable } from '../pipelines/answers.ts';
import { ResourceGroup } from '../resource-groups/answers.ts';
import { JobRequest } from '../runner-protocol/job-answer.ts';
import { RenewedRunnerToken, Runner, RunnerDetails, RunnerManager, RunnerRegistration } from '../runners/answers.ts';
import { RunnerJob } from '../runners/job-answers.ts';
import { Trigger } from '../triggers/answers.ts';
import { CiVariable, InstanceCiVariable } from '../variables/answers.ts';

/** What the objects of this area are called. */
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
