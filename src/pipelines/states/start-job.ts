import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { lockPipeline, setPipelineStatus } from './pipeline-status.ts';
import { moveJob } from './transitions.ts';

export interface JobStart {
  /** Id null if no runner executes it. */
  runner: { id: number | null };
  managerId: number | null;
  /** Digest of the job's token. */
  tokenDigest: string;
  /** Time limit in seconds. */
  timeout: number;
  /** Source of the time limit: 1 unknown, 2 project, 3 runner, 4 job. */
  timeoutSource: number;
  /** Checks under the pipeline lock whether the runner may still run the job. */
  revalidate?: (db: Db) => Promise<boolean>;
}

/**
 * Assigns a pending job to a runner. Of two concurrent attempts only one succeeds.
 * @param db the handle of a transaction that holds no lock on the job
 * @param job as it was found, pending
 * @returns the started job; null if another runner was faster, it no longer exists, or the runner may not run it any
 *   more
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
  // A pipeline with a running job is running, whatever the state of the others.
  if (started !== null) await setPipelineStatus(deps, db, pipeline, 'running');
  return started;
}
