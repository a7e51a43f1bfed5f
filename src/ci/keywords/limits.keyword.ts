import { ConfigError } from '../config/config-error.ts';

/** Maximum number of jobs, including hidden and parallel ones. */
const MAX_JOBS = 10_000;

const SPLIT = 'https://docs.gitlab.com/ci/pipelines/downstream_pipelines/#parent-child-pipelines';

/** @throws ConfigError for too many jobs */
export function limitJobs(count: number): void {
  if (count <= MAX_JOBS) return;
  throw new ConfigError(
    `The number of jobs has exceeded the limit of ${MAX_JOBS}. Try splitting the configuration with parent-child-pipelines ${SPLIT}`,
  );
}
