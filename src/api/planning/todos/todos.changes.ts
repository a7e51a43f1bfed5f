import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { addTodos, markTodosDone } from './todos.record.ts';

/** Old and new values by attribute, as in events. */
type Changes = Readonly<Record<string, readonly [unknown, unknown]>>;

/** Changes that mark to-do items of the author of the change as done. */
const DEALING = ['title', 'description', 'labels', 'milestone_id'];

const numbersIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];

/** Users who are in the new value and were not in the old one. */
function newcomers(change: readonly [unknown, unknown] | undefined): number[] {
  if (change === undefined) return [];
  const before = numbersIn(change[0]);
  return numbersIn(change[1]).filter((id) => !before.includes(id));
}

/**
 * Updates to-do items in the transaction of a change: those of its author are done (unless they only assigned
 * themselves), and new assignees and reviewers get one.
 */
export async function todosOfChanges(
  deps: Deps,
  db: Db,
  target: { type: IssuableType; id: number; projectId: number },
  changes: Changes,
  actorId: number,
): Promise<void> {
  const assigned = newcomers(changes.assignee_ids);
  const reassigned = changes.assignee_ids !== undefined && !assigned.includes(actorId);
  if (reassigned || DEALING.some((name) => name in changes)) await markTodosDone(deps, db, target, actorId);
  await addTodos(deps, db, target, 'assigned', assigned, { authorId: actorId });
  await addTodos(deps, db, target, 'review_requested', newcomers(changes.reviewer_ids), { authorId: actorId });
}
