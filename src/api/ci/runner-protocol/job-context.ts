import type { JobOptions } from '../../../ci/pipeline-config.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

/** What is known of a job that a runner is to have. */
export interface JobContext {
  job: CiJob;
  options: JobOptions;
  pipeline: Pipeline;
  project: Project;
  /** Jobs whose artifacts it gets. */
  dependencies: readonly CiJob[];
}

/** A job that a runner has just got. */
export interface StartedJob extends JobContext {
  runner: CiRunner;
  /** The token of the job, as text. */
  token: string;
  /** Jobs among which it was chosen, and how many of them were tried before. */
  queue: { size: number; depth: number };
}
