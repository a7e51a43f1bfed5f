import type { Updateable } from 'kysely';
import { refreshMergeRequest } from '../../src/api/planning/merge-requests/head/refresh.ts';
import type { MergeRequest, MergeRequestsTable } from '../../src/db/tables/merge-requests.ts';
import type { Project } from '../../src/db/tables/projects.ts';
import { expectStatus, type TestApp } from './app.ts';

/** An open merge request of a branch that is there, made by the administrator, as it is once all about it is known. */
export async function openMergeRequest(
  app: TestApp,
  project: Project,
  options: { branch: string; source?: Project; columns?: Updateable<MergeRequestsTable> },
): Promise<MergeRequest> {
  const { branch, source = project, columns = {} } = options;
  const json = {
    source_branch: branch,
    target_branch: columns.target_branch ?? 'main',
    target_project_id: project.id,
    title: columns.title ?? `Merge ${branch}`,
  };
  const { id } = expectStatus<{ id: number }>(await app.post(`/projects/${source.id}/merge_requests`, { json }), 201);
  if (Object.keys(columns).length > 0) {
    await app.deps.db.updateTable('merge_requests').set(columns).where('id', '=', id).execute();
  }
  return refreshMergeRequest(app.deps, id);
}

/** The row as it is now. */
export const reloadMergeRequest = (app: TestApp, { id }: Pick<MergeRequest, 'id'>): Promise<MergeRequest> =>
  app.deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
