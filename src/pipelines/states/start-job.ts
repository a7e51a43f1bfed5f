import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { lockPipeline, setPipelineStatus } from './pipeline-status.ts';
import { moveJob } from './transitions.ts';

export interface JobStart {
  runner: { id: number };
  managerId: number | null;
  /** Digest of the token that the job runs with. */
  tokenDigest: string;
  /** Seconds it may run. */
  timeout: number;
  /** Where that comes from: 1 unknown, 2 project, 3 runner, 4 job. */
  timeoutSource: number;
  /** Looked at under the lock of the pipeline: whether the runner may have the job still. */
  revalidate?: (db: Db) => Promise<boolean>;
}

/**
 * Gives a job that waits to a runner. Two that try get it once.
 * @param db the handle of a transaction, which must not hold a lock on the job already
 * @param job as it was found, pending
 * @returns the job as it is now; null when somebody else was quicker, it is gone, or the runner may not have it any more
 */
export async function startJob(deps: Deps, db: Db, job: CiJob, start: JobStart): Promise<CiJob | null> {
  const pipeline = await lockPipeline(db, job.pipeline_id);
  if (pipeline === undefined) return null;
  if (start.revalidate !== undefined && !(await start.revalidate(db))) return null;
  const values = {
    runner_id: start.runner.id,
    runner_manager_id: start.managerId,
    token_digest: start.tokenDigest,
    timeout: start.timeout,
    timeout_source: start.timeoutSource,
  };
  const started = await moveJob(deps, db, 'run', job, { values });
  // One job that runs makes the whole run, whatever the others do.
  if (started !== null) await setPipelineStatus(deps, db, pipeline, 'running');
  return started;
}
