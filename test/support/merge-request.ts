import type { Insertable } from 'kysely';
import { refreshMergeRequest } from '../../src/api/merge-requests/refresh.ts';
import { timestamp } from '../../src/core/clock.ts';
import { nextIid } from '../../src/db/iids.ts';
import type { MergeRequest, MergeRequestsTable } from '../../src/db/tables/merge-requests.ts';
import type { Project } from '../../src/db/tables/projects.ts';
import { repositoryOf } from '../../src/repositories/change-refs.ts';
import type { TestApp } from './app.ts';

/** An open merge request of a branch that is there, as it is once its mergeability is known. */
export async function openMergeRequest(
  app: TestApp,
  project: Project,
  options: { branch: string; source?: Project; columns?: Partial<Insertable<MergeRequestsTable>> },
): Promise<MergeRequest> {
  const { deps } = app;
  const { branch, source = project } = options;
  const head_sha = await repositoryOf(deps, source).refs.resolve(`refs/heads/${branch}`);
  const now = timestamp(deps.clock);
  const row = await deps.db.transaction().execute(async (db) =>
    db
      .insertInto('merge_requests')
      .values({
        iid: await nextIid(db, { source_type: 'project', source_id: project.id, usage: 'merge_requests' }),
        project_id: project.id,
        source_project_id: source.id,
        author_id: 1,
        title: `Merge ${branch}`,
        source_branch: branch,
        target_branch: 'main',
        head_sha,
        created_at: now,
        updated_at: now,
        prepared_at: now,
        ...options.columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  return refreshMergeRequest(deps, row.id);
}

/** The row as it is now. */
export const reloadMergeRequest = (app: TestApp, { id }: Pick<MergeRequest, 'id'>): Promise<MergeRequest> =>
  app.deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
