import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { addTodos, markTodosDone } from './todos.record.ts';

/** Old and new value by attribute, as events tell them. */
type Changes = Readonly<Record<string, readonly [unknown, unknown]>>;

/** Changes by which somebody has dealt with an issue or merge request. */
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
 * Does what follows from a change for the lists of what is to be done, in the transaction of the change: who changed it
 * has dealt with it (unless they only took it themselves), who was assigned or asked for a review has something to do.
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
