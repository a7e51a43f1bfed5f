import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { readersAmong } from './issuables.readers.ts';
import type { IssuableTarget, ValueChange } from './issuables.target.ts';

/** What people can be to an issue or merge request. */
export interface PeopleRole {
  name: 'assignee' | 'reviewer';
  /** In the system note, before the names. */
  added: string;
  removed: string;
  people(db: Db, target: IssuableTarget): Promise<User[]>;
  add(deps: Deps, db: Db, target: IssuableTarget, userIds: readonly number[]): Promise<unknown>;
  remove(db: Db, target: IssuableTarget, userIds: readonly number[]): Promise<unknown>;
}

/** `@ada, @bo and @cy`, as system notes name people. */
export const namesOf = (users: readonly User[]): string =>
  users
    .map(({ username }) => `@${username}`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

const idsOf = (users: readonly User[]): number[] => users.map(({ id }) => id);
const sortedIds = (users: readonly User[]): number[] => idsOf(users).sort((a, b) => a - b);

/**
 * Replaces the assignees or reviewers within a transaction, with a system note. Ignores users who may not see the
 * issue or merge request; those who stay keep their state.
 * @returns ids before and after, for the event; null if nothing changed
 */
export async function changePeople(
  role: PeopleRole,
  deps: Deps,
  db: Db,
  target: IssuableTarget,
  userIds: readonly number[],
  actorId: number,
): Promise<ValueChange<number[]>> {
  const before = await role.people(db, target);
  const had = new Set(before.map(({ id }) => id));
  const added = await readersAmong(
    deps,
    db,
    target,
    userIds.filter((id) => !had.has(id)),
  );
  const gone = before.filter(({ id }) => !userIds.includes(id));
  if (added.length === 0 && gone.length === 0) return null;
  if (gone.length > 0) await role.remove(db, target, idsOf(gone));
  if (added.length > 0) await role.add(deps, db, target, idsOf(added));
  const parts = [
    ...(added.length > 0 ? [`${role.added} ${namesOf(added)}`] : []),
    ...(gone.length > 0 ? [`${role.removed} ${namesOf(gone)}`] : []),
  ];
  const about = { type: target.type, id: target.id, projectId: target.project.id };
  await writeSystemNote(deps, db, about, actorId, role.name, parts.join(' and '));
  return [sortedIds(before), sortedIds([...before.filter((user) => !gone.includes(user)), ...added])];
}
