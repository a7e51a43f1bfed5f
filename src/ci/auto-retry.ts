import type { FailureReason } from './failure-reasons.ts';
import type { JobOptions } from './pipeline-config.ts';

/** What another run would not mend. */
const NEVER: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'ci_quota_exceeded',
  'no_matching_runner',
  'missing_dependency_failure',
  'forward_deployment_failure',
  'environment_creation_failure',
]);

/** How often a job runs again that says nothing of it: what failed was not the job. */
const UNASKED: Partial<Record<FailureReason, number>> = { scheduler_failure: 2 };

export interface Failure {
  reason: FailureReason;
  exitCode: number | null;
}

/**
 * Whether a job that failed runs again of itself.
 * @param retries how often jobs of its name were run again in its pipeline
 */
export function isRetried(retry: JobOptions['retry'], { reason, exitCode }: Failure, retries: number): boolean {
  if (NEVER.has(reason)) return false;
  if (retry === null) return retries < (UNASKED[reason] ?? 0);
  if (retries >= retry.max) return false;
  const byCode = exitCode !== null && (retry.exitCodes?.includes(exitCode) ?? false);
  const reasons = retry.when ?? (retry.exitCodes === null ? ['always'] : []);
  return byCode || reasons.includes('always') || reasons.includes(reason);
}
