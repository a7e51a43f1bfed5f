import type { TSchema } from 'typebox';
import { Bridge, Job, JobArtifact } from '../jobs/answers.ts';
import { LintInclude, LintJob, LintResult } from '../lint/answers.ts';
import { PipelineSchedule, PipelineScheduleDetails } from '../pipeline-schedules/answers.ts';
import { PipelineVariable } from '../pipelines/answers.ts';
import { CiVariable, InstanceCiVariable } from '../variables/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  Bridge,
  CiLintInclude: LintInclude,
  CiLintJob: LintJob,
  CiLintResult: LintResult,
  InstanceVariable: InstanceCiVariable,
  Job,
  JobArtifact,
  PipelineSchedule,
  PipelineScheduleDetails,
  PipelineVariable,
  Variable: CiVariable,
};
