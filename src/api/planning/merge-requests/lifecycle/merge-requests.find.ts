import type { ProjectPermissions } from '../../../../access/permissions.ts';
import { recordNotFound } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { prepared } from '../../../../db/prepared.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

const requestOfNumber = prepared((db, { project, iid }: { project: number; iid: number }) =>
  db.selectFrom('merge_requests').selectAll().where('project_id', '=', project).where('iid', '=', iid),
);

/**
 * Finds a merge request of the (target) project by its number.
 * @throws ApiError 404 if it does not exist or the caller may not read it
 */
export async function findMergeRequest(
  db: Db,
  { project, permissions }: { project: Project; permissions: ProjectPermissions },
  iid: number,
): Promise<MergeRequest> {
  const [mergeRequest] = permissions.can('read_merge_request')
    ? await requestOfNumber(db, { project: project.id, iid })
    : [];
  if (mergeRequest === undefined) throw recordNotFound();
  return mergeRequest;
}
