import { recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';

const KINDS = { build: ['build'], any: ['build', 'bridge'] } as const;

/**
 * Returns a job of a project.
 * @param kind `any` includes bridges
 * @throws ApiError 404
 */
export async function findJob(db: Db, projectId: number, id: number, kind: keyof typeof KINDS): Promise<CiJob> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('kind', 'in', KINDS[kind])
    .executeTakeFirstOrThrow(recordNotFound);
}
