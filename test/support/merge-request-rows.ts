import type { Insertable } from 'kysely';
import { timestamp } from '../../src/core/clock.ts';
import { nextIid } from '../../src/db/iids.ts';
import type { MergeRequest, MergeRequestsTable } from '../../src/db/tables/merge-requests.ts';
import type { Project } from '../../src/db/tables/projects.ts';
import type { User } from '../../src/db/tables/users.ts';
import type { TestApp } from './app.ts';

/** Writes a merge request of `side` into `main` straight into the database, as if it had been made. */
export async function insertMergeRequest(
  app: TestApp,
  project: Project,
  author: Pick<User, 'id'>,
  columns: Partial<Insertable<MergeRequestsTable>> = {},
): Promise<MergeRequest> {
  const now = timestamp(app.deps.clock);
  return app.deps.db.transaction().execute(async (db) => {
    const scope = { source_type: 'project', source_id: project.id, usage: 'merge_requests' } as const;
    return db
      .insertInto('merge_requests')
      .values({
        iid: await nextIid(db, scope),
        project_id: project.id,
        source_project_id: project.id,
        author_id: author.id,
        title: 'Change it',
        description: null,
        source_branch: 'side',
        target_branch: 'main',
        head_sha: 'a'.repeat(40),
        created_at: now,
        updated_at: now,
        ...columns,
      } as Insertable<MergeRequestsTable>)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Writes the version that belongs to the head, with commits by these addresses. */
export async function insertVersion(
  app: TestApp,
  mergeRequest: MergeRequest,
  emails: readonly string[],
): Promise<void> {
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
  for (const [position, email] of emails.entries()) {
    await db
      .insertInto('merge_request_commits')
      .values({
        merge_request_id: mergeRequest.id,
        diff_id: id,
        position,
        sha: head,
        author_email: email,
        committer_email: 'nobody@example.org',
      })
      .execute();
  }
  await db.updateTable('merge_requests').set({ latest_diff_id: id }).where('id', '=', mergeRequest.id).execute();
}
