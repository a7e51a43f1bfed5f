import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { wakeFollowers } from '../bridges/followers.ts';
import { DROP_PIPELINE_REF } from '../job-kinds.ts';
import { cancelPipeline } from '../states/cancel.ts';
import { lockPipeline } from '../states/pipeline-status.ts';

/**
 * Removes a pipeline with its child pipelines, their jobs, logs and artifacts. Active jobs are canceled first, so that
 * their followers continue.
 * @returns whether it existed
 */
export async function destroyPipeline(deps: Deps, pipelineId: number, userId: number | null = null): Promise<boolean> {
  if ((await cancelPipeline(deps, pipelineId, { userId })) === undefined) return false;
  return deps.db.transaction().execute(async (db) => {
    const pipeline = await lockPipeline(db, pipelineId);
    if (pipeline === undefined) return false;
    const ids = await familyOf(db, pipelineId);
    const blobs = await db
      .selectFrom('ci_job_artifacts')
      .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_job_artifacts.job_id')
      .select('ci_job_artifacts.sha256')
      .distinct()
      .where('ci_jobs.pipeline_id', 'in', ids)
      .execute();
    await wakeFollowers(deps, db, ids);
    await db.deleteFrom('pipelines').where('id', 'in', ids).execute();
    await enqueueBlobRemoval(deps, db, pluck(blobs, 'sha256'));
    const { project_id } = pipeline;
    await deps.jobs.enqueueAll(
      db,
      ids.map((pipeline_id) => ({
        kind: DROP_PIPELINE_REF,
        payload: { pipeline_id, project_id },
        projectId: project_id,
      })),
    );
    return true;
  });
}

/** Ids of a pipeline and its descendants. */
async function familyOf(db: Db, pipelineId: number): Promise<number[]> {
  const ids = [pipelineId];
  for (let level = ids; level.length > 0; ) {
    const rows = await db.selectFrom('pipelines').select('id').where('parent_id', 'in', level).execute();
    level = rows.map(({ id }) => id);
    ids.push(...level);
  }
  return ids;
}
