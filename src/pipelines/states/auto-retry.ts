import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { JobOptions } from '../../ci/pipeline-config.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';

/** Failures after which a retry would fail as well. */
const NEVER: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'ci_quota_exceeded',
  'no_matching_runner',
  'missing_dependency_failure',
  'forward_deployment_failure',
  'failed_outdated_deployment_job',
  'environment_creation_failure',
  'user_blocked',
]);
/** Default number of retries after failures of the scheduler. */
const SCHEDULER_RETRIES = 2;

/** Whether a failed job is retried automatically according to its `retry`. @param job after its failure */
export async function isRetriedAutomatically(
  db: Db,
  job: Pick<CiJob, 'id' | 'pipeline_id' | 'name' | 'failure_reason' | 'exit_code'>,
  retry: JobOptions['retry'],
): Promise<boolean> {
  const reason = job.failure_reason ?? 'unknown_failure';
  if (NEVER.has(reason)) return false;
  const max = retry?.max ?? (reason === 'scheduler_failure' ? SCHEDULER_RETRIES : 0);
  if (max === 0 || (retry !== null && !isCovered(retry, reason, job.exit_code))) return false;
  const earlier = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('pipeline_id', '=', job.pipeline_id)
    .where('name', '=', job.name)
    .where('retried', '=', 1)
    .limit(max)
    .execute();
  return earlier.length < max;
}

function isCovered(
  { when, exitCodes }: NonNullable<JobOptions['retry']>,
  reason: FailureReason,
  exitCode: number | null,
): boolean {
  if (exitCode !== null && exitCodes?.includes(exitCode)) return true;
  const reasons = when ?? (exitCodes === null ? ['always'] : []);
  return reasons.includes('always') || reasons.includes(reason);
}
