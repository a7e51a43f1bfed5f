import type { FailureReason } from '../../../ci/failure-reasons.ts';
import type { JobOptions } from '../../../ci/pipeline-config.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { JobContext } from './job-context.ts';

/** Returns the features that a job requires, by their names in the runner protocol. */
export function requiredFeatures(options: JobOptions, pipeline: Pick<Pipeline, 'merge_request_id'>): string[] {
  const { artifacts, allowFailureExitCodes, retry, cache, release, inputs } = options;
  const reports =
    artifacts !== null && (Object.keys(artifacts.reports).length > 0 || artifacts.coverageReport !== null);
  const needed: Record<string, boolean> = {
    upload_multiple_artifacts: reports,
    refspecs: pipeline.merge_request_id !== null,
    artifacts_exclude: artifacts !== null && artifacts.exclude.length > 0,
    multi_build_steps: release !== null,
    return_exit_code: allowFailureExitCodes !== null || (retry?.exitCodes ?? null) !== null,
    fallback_cache_keys: cache.some(({ fallbackKeys }) => fallbackKeys.length > 0),
    job_inputs: inputs !== null && Object.keys(inputs).length > 0,
  };
  return Object.keys(needed).filter((name) => needed[name]);
}

/** Users in these states cannot run jobs. */
const OUT = ['blocked', 'banned', 'ldap_blocked', 'blocked_pending_approval'];

/**
 * Returns why no runner, or not this one, can run a job, which then fails; null if it can.
 * @param features features that the runner reports
 */
export async function mismatchReason(
  db: Db,
  clock: Clock,
  known: JobContext,
  features: Readonly<Record<string, boolean>>,
): Promise<FailureReason | null> {
  const { job, options, pipeline, project, dependencies } = known;
  const now = clock.now().toISOString();
  const isGone = ({ erased_at, artifacts_expire_at }: CiJob) =>
    erased_at !== null || (artifacts_expire_at !== null && artifacts_expire_at <= now && pipeline.locked === 0);
  if (dependencies.some(isGone)) return 'missing_dependency_failure';
  if (requiredFeatures(options, pipeline).some((name) => features[name] !== true)) return 'runner_unsupported';
  if (project.pending_delete === 1) return 'project_deleted';
  if (project.builds_access_level === 'disabled') return 'builds_disabled';
  const user = await db.selectFrom('users').select(['state', 'kind']).where('id', '=', job.user_id).executeTakeFirst();
  return user === undefined || user.kind === 'ghost' || OUT.includes(user.state) ? 'user_blocked' : null;
}
