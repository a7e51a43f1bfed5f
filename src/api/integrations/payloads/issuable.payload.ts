import type { IssueFacts, LabelFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { usersById } from '../../identity/index.ts';
import { assigneesFor, humanDuration, labelsFor } from '../../planning/index.ts';
import { type AttributeChanges, changedPeople } from './changes.payload.ts';

/** Labels and users of an issue or merge request, as far as the event contains them. */
export interface InitialAssociations {
  labels?: readonly LabelFacts[];
  assignee_ids?: readonly number[];
  reviewer_ids?: readonly number[];
}

/** Returns the labels and users after changes. */
export const initialAssociationsOf = (changes: AttributeChanges): InitialAssociations =>
  Object.fromEntries(
    ['labels', 'assignee_ids', 'reviewer_ids'].flatMap((name) =>
      changes[name] === undefined ? [] : [[name, changes[name][1]]],
    ),
  );

/** Labels and users of an issue or merge request. */
export interface IssuableAssociations {
  labels: readonly LabelFacts[];
  assignees: readonly User[];
  /** All referenced users, by id. */
  people: ReadonlyMap<number, User>;
}

/**
 * Loads labels and users as recorded with an event, else the current ones.
 * @param also ids of further users
 */
export async function associationsOf(
  db: Db,
  type: IssuableType,
  id: number,
  known: InitialAssociations & { changes?: AttributeChanges },
  also: readonly (number | null)[],
): Promise<IssuableAssociations> {
  const changes = known.changes ?? {};
  const { labels, assignee_ids, reviewer_ids = [] } = { ...known, ...initialAssociationsOf(changes) };
  const now = assignee_ids === undefined ? (await assigneesFor(db, type, [id])).get(id)! : [];
  const named = [...(assignee_ids ?? []), ...reviewer_ids, ...changedPeople(changes), ...also];
  const people = new Map([...(await usersById(db, named)), ...now.map((user) => [user.id, user] as const)]);
  return {
    labels: labels ?? (await labelsFor(db, type, [id])).get(id)!,
    assignees: assignee_ids?.flatMap((each) => people.get(each) ?? []) ?? now,
    people,
  };
}

/** Estimate and time spent, in seconds and human-readable. */
export function timesPayload(
  { time_estimate, time_spent }: Pick<IssueFacts, 'time_estimate' | 'time_spent'>,
  changes: AttributeChanges,
) {
  const [before, after] = (changes.total_time_spent ?? [0, 0]) as [number, number];
  return {
    time_estimate,
    total_time_spent: time_spent,
    time_change: after - before,
    human_total_time_spent: humanDuration(time_spent),
    human_time_change: humanDuration(after - before),
    human_time_estimate: humanDuration(time_estimate),
  };
}

/** Time and author of the last edit of the text, if the event contains them. */
export function lastEdit(changes: AttributeChanges, at: string, actorId: number | null) {
  const edited = 'title' in changes || 'description' in changes;
  return { last_edited_at: edited ? at : null, last_edited_by_id: edited ? actorId : null };
}
