import { COMPLETE, isOneOf } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { enqueueArtifactsSize } from '../artifacts/pipeline-artifacts.size.ts';
import { lockJob } from '../states/lock-job.ts';

/**
 * Removes the log and the artifacts of a finished job.
 * @returns its new state; null if it is unfinished, has neither, or no longer exists
 */
export function eraseJob(deps: Deps, jobId: number): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !isOneOf(COMPLETE, locked.job.status)) return null;
    const files = await db.deleteFrom('ci_job_artifacts').where('job_id', '=', jobId).returning('sha256').execute();
    const hadLog = await dropLog(db, jobId);
    if (files.length === 0 && !hadLog) return null;
    await enqueueBlobRemoval(deps, db, pluck(files, 'sha256'));
    await enqueueArtifactsSize(deps, db, [locked.job.project_id]);
    const now = timestamp(deps.clock);
    return db
      .updateTable('ci_jobs')
      .set({ erased_at: now, updated_at: now, trace_size: 0, artifacts_expire_at: null })
      .where('id', '=', jobId)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

async function dropLog(db: Db, jobId: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('ci_job_traces').where('job_id', '=', jobId).executeTakeFirst();
  return numDeletedRows > 0n;
}
