import type { Db } from '../../../db/db.schema.ts';
import { prepared } from '../../../db/prepared.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { changePeople, type PeopleRole } from './change-people.ts';

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

const ASSIGNEE: PeopleRole = {
  name: 'assignee',
  added: 'assigned to',
  removed: 'unassigned',
  people: async (db, { type, id }) => (await assigneesFor(db, type, [id])).get(id)!,
  add: (_, db, { type, id, project }, userIds) =>
    db
      .insertInto('issuable_assignees')
      .values(userIds.map((user_id) => ({ issuable_type: type, issuable_id: id, project_id: project.id, user_id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  remove: (db, { type, id }, userIds) =>
    db
      .deleteFrom('issuable_assignees')
      .where('issuable_type', '=', type)
      .where('issuable_id', '=', id)
      .where('user_id', 'in', userIds)
      .execute(),
};

/** Replaces the assignees of an issue or merge request, as `changePeople`. */
export const changeAssignees = changePeople.bind(null, ASSIGNEE);
