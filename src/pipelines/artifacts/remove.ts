import type { SelectQueryBuilder } from 'kysely';
import { pluck } from '../../core/pluck.ts';
import type { Db, Schema } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { enqueueArtifactsSize } from './pipeline-artifacts.size.ts';

/**
 * Removes artifacts in a transaction; their content is removed later.
 * @param ids a list, or a query for the ids
 * @returns number of removed artifacts
 */
export async function removeArtifacts(
  deps: Deps,
  db: Db,
  ids: readonly number[] | SelectQueryBuilder<Schema, 'ci_job_artifacts', { id: number }>,
): Promise<number> {
  if (Array.isArray(ids) && ids.length === 0) return 0;
  const rows = await db
    .deleteFrom('ci_job_artifacts')
    .where('id', 'in', ids)
    .returning(['sha256', 'project_id'])
    .execute();
  await enqueueBlobRemoval(deps, db, [...new Set(rows.map(({ sha256 }) => sha256))]);
  await enqueueArtifactsSize(deps, db, pluck(rows, 'project_id'));
  return rows.length;
}

/** Removes all artifacts of a job except its log. */
export async function removeArtifactsOf(deps: Deps, jobId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const rows = await db
      .selectFrom('ci_job_artifacts')
      .select('id')
      .where('job_id', '=', jobId)
      .where('file_type', '!=', 'trace')
      .execute();
    await removeArtifacts(deps, db, pluck(rows, 'id'));
  });
}
