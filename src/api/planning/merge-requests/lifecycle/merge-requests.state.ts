import { timestamp } from '../../../../core/clock.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { recordState } from '../../resource-events/resource-events.record.ts';
import { markTodosDone } from '../../todos/todos.record.ts';

export type MergedFacts = Pick<MergeRequest, 'head_sha' | 'merge_commit_sha' | 'squash_commit_sha'>;

/**
 * Marks a merge request as merged, with event and system note; idempotent.
 * @param db handle of the transaction that moves the target branch, or that detects its move
 * @param userId id of the user who merged; null for a deploy key or the system
 */
export async function markMerged(
  deps: Deps,
  db: Db,
  id: number,
  facts: MergedFacts,
  userId: number | null,
): Promise<void> {
  const now = timestamp(deps.clock);
  const merged = await db
    .updateTable('merge_requests')
    .set({
      ...facts,
      state: 'merged',
      merged_at: now,
      merge_user_id: userId,
      merge_error: null,
      merge_status: 'can_be_merged',
      approvals_syncing: 0,
      auto_merge: 0,
      locked_at: null,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('state', 'in', ['opened', 'locked'])
    .returningAll()
    .executeTakeFirst();
  if (merged === undefined) return;
  const { project_id } = merged;
  const about = { type: 'MergeRequest', id, projectId: project_id } as const;
  if (userId !== null) {
    await writeSystemNote(deps, db, about, userId, 'merged', 'merged');
    await markTodosDone(deps, db, about, userId);
  }
  await recordState(deps, db, about, userId, 'merged');
  await deps.events.record(
    db,
    'merge_request.merged',
    { merge_request_id: id, project_id, merge_request: mergeRequestFacts(merged) },
    { projectId: project_id, actorId: userId },
  );
}
