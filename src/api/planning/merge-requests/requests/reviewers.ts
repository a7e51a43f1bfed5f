import { timestamp } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { readersAmong } from '../../issuables/issuables.readers.ts';
import type { IssuableTarget, ValueChange } from '../../issuables/issuables.target.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { addTodos } from '../../todos/todos.record.ts';
import { reviewersFor } from './merge-requests.view-rows.ts';

const names = (users: readonly User[]): string =>
  users
    .map(({ username }) => `@${username}`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

/**
 * Replaces the reviewers within a transaction, with a system note. Ignores users who may not see the merge request;
 * remaining reviewers keep their state.
 * @returns ids before and after, for the event; null if nothing changed
 */
export async function changeReviewers(
  deps: Deps,
  db: Db,
  target: IssuableTarget,
  userIds: readonly number[],
  actorId: number,
): Promise<ValueChange<number[]>> {
  const before = (await reviewersFor(db, [target.id])).get(target.id)!;
  const fresh = userIds.filter((id) => !before.some((user) => user.id === id));
  const added = await readersAmong(deps, db, target, fresh);
  const gone = before.filter(({ id }) => !userIds.includes(id));
  if (added.length === 0 && gone.length === 0) return null;
  if (gone.length > 0) {
    await db
      .deleteFrom('merge_request_reviewers')
      .where('merge_request_id', '=', target.id)
      .where(
        'user_id',
        'in',
        gone.map(({ id }) => id),
      )
      .execute();
  }
  if (added.length > 0) {
    const row = { merge_request_id: target.id, created_at: timestamp(deps.clock) };
    await db
      .insertInto('merge_request_reviewers')
      .values(added.map(({ id }) => ({ ...row, user_id: id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const parts = [
    ...(added.length > 0 ? [`requested review from ${names(added)}`] : []),
    ...(gone.length > 0 ? [`removed review request for ${names(gone)}`] : []),
  ];
  const about = { type: target.type, id: target.id, projectId: target.project.id };
  await writeSystemNote(deps, db, about, actorId, 'reviewer', parts.join(' and '));
  const ids = (users: readonly User[]) => users.map(({ id }) => id).sort((a, b) => a - b);
  return [ids(before), ids([...before.filter((user) => !gone.includes(user)), ...added])];
}

/** Requests a review again, within a transaction: resets the state of the reviewers. */
export async function rerequestReview(
  deps: Deps,
  db: Db,
  { id, project_id: projectId }: Pick<MergeRequest, 'id' | 'project_id'>,
  reviewers: readonly User[],
  actorId: number,
): Promise<void> {
  const ids = reviewers.map((user) => user.id);
  await db
    .updateTable('merge_request_reviewers')
    .set({ state: 'unreviewed' })
    .where('merge_request_id', '=', id)
    .where('user_id', 'in', ids)
    .execute();
  const about = { type: 'MergeRequest', id, projectId } as const;
  await writeSystemNote(deps, db, about, actorId, 'reviewer', `requested review from ${names(reviewers)}`);
  await addTodos(deps, db, about, 'review_requested', ids, { authorId: actorId });
}
