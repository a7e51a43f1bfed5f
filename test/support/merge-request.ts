import type { Insertable } from 'kysely';
import { refreshMergeRequest } from '../../src/api/planning/merge-requests/mergeability/refresh.ts';
import { timestamp } from '../../src/core/clock.ts';
import { nextIid } from '../../src/db/iids.ts';
import type { MergeRequest, MergeRequestsTable } from '../../src/db/tables/merge-requests.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { repositoryOf } from '../../src/repositories/change-refs.ts';
import type { TestApp } from './app.ts';

type Columns = Partial<Insertable<MergeRequestsTable>>;
type Parts = Pick<TestApp, 'deps'>;

/**
 * Makes a merge request into `main`, by root unless told otherwise: its row, straight into the database, and all that is
 * known of its branch where that is there (head, version, whether it can be merged). Nobody is told: no event, no note, no
 * todo; tests of these open theirs through the API.
 * @param columns of the row; `source_branch` names the branch
 */
export async function makeMergeRequest(
  app: Parts,
  project: Pick<Project, 'id'>,
  columns: Columns = {},
): Promise<MergeRequest> {
  const row = await writeMergeRequest(app, project, columns);
  return (await hasBranch(app, row)) ? refreshMergeRequest(app.deps, row.id) : row;
}

/** The row alone, as it is for a moment while one is opened: for tests of what happens next. */
export function writeMergeRequest(
  { deps: { db, clock } }: Parts,
  project: Pick<Project, 'id'>,
  columns: Columns = {},
): Promise<MergeRequest> {
  const now = timestamp(clock);
  return db.transaction().execute(async (db) => {
    const scope = { source_type: 'project', source_id: project.id, usage: 'merge_requests' } as const;
    const iid = await nextIid(db, scope);
    const { source_branch = `change-${iid}` } = columns;
    return db
      .insertInto('merge_requests')
      .values({
        iid,
        project_id: project.id,
        source_project_id: project.id,
        author_id: 1,
        title: `Merge ${source_branch}`,
        source_branch,
        target_branch: 'main',
        created_at: now,
        updated_at: now,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

async function hasBranch({ deps }: Parts, row: MergeRequest): Promise<boolean> {
  const source = await deps.db
    .selectFrom('projects')
    .select(['repository_storage', 'disk_path'])
    .where('id', '=', row.source_project_id)
    .executeTakeFirst();
  if (source === undefined) return false;
  return (await repositoryOf(deps, source).refs.resolve(`refs/heads/${row.source_branch}`)) !== null;
}

/** Writes the version that belongs to the head of one whose branch is not there, with commits by these addresses. */
export async function writeVersion(app: Parts, mergeRequest: MergeRequest, emails: readonly string[]): Promise<void> {
  const { db, clock } = app.deps;
  const head = mergeRequest.head_sha!;
  const { id } = await db
    .insertInto('merge_request_diffs')
    .values({
      merge_request_id: mergeRequest.id,
      head_commit_sha: head,
      base_commit_sha: 'b'.repeat(40),
      start_commit_sha: 'b'.repeat(40),
      state: 'collected',
      real_size: '1',
      commits_count: emails.length,
      patch_id_sha: null,
      created_at: timestamp(clock),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const commit = { merge_request_id: mergeRequest.id, diff_id: id, sha: head, committer_email: 'nobody@example.org' };
  const commits = emails.map((author_email, position) => ({ ...commit, position, author_email }));
  await db.insertInto('merge_request_commits').values(commits).execute();
  await db.updateTable('merge_requests').set({ latest_diff_id: id }).where('id', '=', mergeRequest.id).execute();
}

/** The row as it is now. */
export const reloadMergeRequest = (app: Parts, { id }: Pick<MergeRequest, 'id'>): Promise<MergeRequest> =>
  app.deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
