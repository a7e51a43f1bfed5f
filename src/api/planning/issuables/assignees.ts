import type { Db } from '../../../db/db.schema.ts';
import { prepared } from '../../../db/prepared.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { readersAmong } from './issuables.readers.ts';
import type { IssuableTarget, ValueChange } from './issuables.target.ts';

const assigneeRows = prepared((db, { type, ids }: { type: IssuableType; ids: readonly number[] }) =>
  db
    .selectFrom('issuable_assignees')
    .innerJoin('users', 'users.id', 'issuable_assignees.user_id')
    .selectAll('users')
    .select('issuable_assignees.issuable_id')
    .where('issuable_type', '=', type)
    .where('issuable_id', 'in', ids)
    .orderBy('users.id'),
);

/** Assignees by issue or merge request, ordered by user id; an empty list for ids without assignees. */
export async function assigneesFor(db: Db, type: IssuableType, ids: readonly number[]): Promise<Map<number, User[]>> {
  const assignees = new Map<number, User[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return assignees;
  const rows = await assigneeRows(db, { type, ids });
  for (const { issuable_id, ...user } of rows) assignees.get(issuable_id)!.push(user);
  return assignees;
}

const names = (users: readonly User[]): string =>
  users
    .map(({ username }) => `@${username}`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

/**
 * Replaces the assignees of an issue or merge request within a transaction, with a system note. Ignores users who may
 * not see it.
 * @returns ids before and after, for the event; null if nothing changed
 */
export async function changeAssignees(
  deps: Deps,
  db: Db,
  target: IssuableTarget,
  userIds: readonly number[],
  actorId: number,
): Promise<ValueChange<number[]>> {
  const before = (await assigneesFor(db, target.type, [target.id])).get(target.id)!;
  const had = new Set(before.map(({ id }) => id));
  const added = await readersAmong(
    deps,
    db,
    target,
    userIds.filter((id) => !had.has(id)),
  );
  const gone = before.filter(({ id }) => !userIds.includes(id));
  if (added.length === 0 && gone.length === 0) return null;
  for (const { id } of gone) {
    await db
      .deleteFrom('issuable_assignees')
      .where('issuable_type', '=', target.type)
      .where('issuable_id', '=', target.id)
      .where('user_id', '=', id)
      .execute();
  }
  if (added.length > 0) {
    const key = { issuable_type: target.type, issuable_id: target.id, project_id: target.project.id };
    await db
      .insertInto('issuable_assignees')
      .values(added.map(({ id }) => ({ ...key, user_id: id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const parts = [
    ...(added.length > 0 ? [`assigned to ${names(added)}`] : []),
    ...(gone.length > 0 ? [`unassigned ${names(gone)}`] : []),
  ];
  const about = { type: target.type, id: target.id, projectId: target.project.id };
  await writeSystemNote(deps, db, about, actorId, 'assignee', parts.join(' and '));
  const remaining = before.filter((user) => !gone.includes(user));
  const ids = (users: readonly User[]) => users.map(({ id }) => id).sort((a, b) => a - b);
  return [ids(before), ids([...remaining, ...added])];
}
