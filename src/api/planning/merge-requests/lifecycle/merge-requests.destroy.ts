import type { UserCaller } from '../../../../access/caller.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import { removeBelongings } from '../../../../db/db.removal.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { inRepositoryQueue } from '../../../../repositories/change-refs.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { updateServerRefs } from '../../../../repositories/server-writes.ts';

interface RemoveRefs {
  project_id: number;
  iid: number;
}

/** Maximum number of merge requests to delete per statement. */
const BATCH = 500;
const REMOVE_REFS = jobKind<RemoveRefs>('merge_requests.remove_refs', { lane: 'git' });

/** Deletes a merge request with everything that belongs to it; a background job removes its refs. */
export async function destroyMergeRequest(deps: Deps, caller: UserCaller, row: MergeRequest): Promise<void> {
  await deps.db.transaction().execute((db) => destroyMergeRequests(deps, db, [row], caller.user.id));
}

/** Deletes the merge requests of an author like `destroyMergeRequest`, within a transaction. */
export async function destroyMergeRequestsOf(deps: Deps, db: Db, authorId: number, actorId: number): Promise<void> {
  const theirs = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('author_id', '=', authorId)
    .orderBy('id')
    .limit(BATCH);
  for (let rows = await theirs.execute(); rows.length > 0; rows = await theirs.execute()) {
    await destroyMergeRequests(deps, db, rows, actorId);
  }
}

async function destroyMergeRequests(deps: Deps, db: Db, rows: readonly MergeRequest[], actorId: number): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await removeBelongings(db, 'MergeRequest', ids);
  await db.deleteFrom('merge_requests').where('id', 'in', ids).execute();
  for (const row of rows) {
    const { id, project_id, iid, title } = row;
    await deps.events.record(
      db,
      'merge_request.destroyed',
      { merge_request_id: id, project_id, iid, title, merge_request: mergeRequestFacts(row) },
      { projectId: project_id, actorId },
    );
  }
  const jobs = rows.map(({ project_id, iid }) => ({
    kind: REMOVE_REFS,
    payload: { project_id, iid } satisfies RemoveRefs,
  }));
  await deps.jobs.enqueueAll(db, jobs);
}

/**
 * Registers the job of `destroyMergeRequest`. Numbers are never reused, so it cannot remove refs of a new merge
 * request.
 */
export function registerRefRemoval(deps: Deps): void {
  deps.jobs.register(REMOVE_REFS, async ({ project_id, iid }) => {
    const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', project_id).executeTakeFirst();
    if (project === undefined) return;
    if (project.pending_delete === 1) return;
    await inRepositoryQueue(deps, project, async (repo) => {
      const refs = await repo.refs.list(`refs/merge-requests/${iid}/`);
      if (refs.length === 0) return;
      const updates = refs.map(({ name, oid }) => ({ ref: name, old: oid, new: null }));
      await updateServerRefs(deps, ofProject(project), repo, updates);
    });
  });
}
