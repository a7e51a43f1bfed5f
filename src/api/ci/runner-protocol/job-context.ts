import type { JobOptions } from '../../../ci/pipeline-config.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

/** A job to assign, with its pipeline, project and dependencies. */
export interface JobContext {
  job: CiJob;
  options: JobOptions;
  pipeline: Pipeline;
  project: Project;
  /** Jobs whose artifacts it downloads. */
  dependencies: readonly CiJob[];
}

/** A job that was just assigned to a runner. */
export interface StartedJob extends JobContext {
  runner: CiRunner;
  /** Job token in plain text. */
  token: string;
  /** Number of candidates, and how many were tried before this job. */
  queue: { size: number; depth: number };
}
