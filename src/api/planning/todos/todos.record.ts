import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType, NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { TodoAction } from '../../../db/tables/todos.table.ts';
import type { Deps } from '../../../deps.ts';

/** Target of a to-do item. */
export type TodoTarget = { projectId: number } & (
  | { type: IssuableType; id: number }
  | { type: 'Commit'; id: null; sha: string }
);

/**
 * Creates to-do items for users, who must be able to see the target, within a transaction. Skips users who have the
 * same pending item.
 * @param by author, and the comment that it is about
 * @returns ids of the to-do items
 */
export async function addTodos(
  deps: Deps,
  db: Db,
  target: TodoTarget,
  action: TodoAction,
  userIds: readonly number[],
  by: { authorId: number; noteId?: number | null },
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const now = timestamp(deps.clock);
  const rows = [...new Set(userIds)].map((user_id) => ({
    user_id,
    author_id: by.authorId,
    project_id: target.projectId,
    target_type: target.type,
    target_id: target.id,
    commit_id: target.type === 'Commit' ? target.sha : null,
    note_id: by.noteId ?? null,
    action,
    created_at: now,
    updated_at: now,
  }));
  const added = await db
    .insertInto('todos')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return added.map(({ id }) => id);
}

/** Marks a user's pending to-do items about a target as done, within a transaction. */
export async function markTodosDone(
  deps: Deps,
  db: Db,
  target: { type: NoteableType | 'Commit'; id: number | null; sha?: string },
  userId: number,
): Promise<void> {
  if (target.type === 'Snippet') return;
  const done = db
    .updateTable('todos')
    .set({ state: 'done', updated_at: timestamp(deps.clock) })
    .where('user_id', '=', userId)
    .where('target_type', '=', target.type)
    .where('state', '=', 'pending');
  const named =
    target.id === null ? done.where('commit_id', '=', target.sha ?? '') : done.where('target_id', '=', target.id);
  await named.execute();
}
