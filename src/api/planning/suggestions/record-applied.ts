import type { ChangeCause } from '../../../core/change-cause.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { RefObserver } from '../../../repositories/ref-observers.ts';
import { setResolvedInTransaction } from '../discussions/discussions.writes.ts';
import { lockMergeRequest } from '../merge-requests/lifecycle/merge-requests.lock.ts';

/** Marks suggestions as applied, and resolves their threads, in the transaction that records their commit. */
export const recordApplied =
  (deps: Deps): RefObserver =>
  async (_repo, { cause, userId }) => {
    if (cause?.type !== 'suggestions' || userId === null) return null;
    return (db) => markApplied(deps, db, cause, userId);
  };

async function markApplied(
  deps: Deps,
  db: Db,
  { merge_request_id, suggestion_ids, commit_id, resolves }: Extract<ChangeCause, { type: 'suggestions' }>,
  userId: number,
): Promise<void> {
  const mergeRequest = await lockMergeRequest(db, merge_request_id);
  // Deleted between the announcement and the record.
  if (mergeRequest === undefined) return;
  const applied = await db
    .updateTable('suggestions')
    .set({ commit_id })
    .where('id', 'in', suggestion_ids)
    .returning('note_id')
    .execute();
  if (!resolves || applied.length === 0) return;
  const noteIds = applied.map(({ note_id }) => note_id);
  const threads = db.selectFrom('notes').select('discussion_id').where('id', 'in', noteIds);
  const notes = await db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', merge_request_id)
    .where('discussion_id', 'in', threads)
    .orderBy('id')
    .execute();
  const { id, iid, project_id: projectId, author_id: authorId, discussion_locked } = mergeRequest;
  const noteable = { type: 'MergeRequest', id, iid, projectId, authorId, locked: discussion_locked === 1 } as const;
  for (const thread of Map.groupBy(notes, ({ discussion_id }) => discussion_id).values()) {
    await setResolvedInTransaction(deps, db, { caller: { user: { id: userId } } }, noteable, thread, true);
  }
}
