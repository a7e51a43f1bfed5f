import { timestamp } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { changePeople, namesOf, type PeopleRole } from '../../issuables/change-people.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { addTodos } from '../../todos/todos.record.ts';
import { reviewersFor } from '../views/merge-requests.view-rows.ts';

const REVIEWER: PeopleRole = {
  name: 'reviewer',
  added: 'requested review from',
  removed: 'removed review request for',
  people: async (db, { id }) => (await reviewersFor(db, [id])).get(id)!,
  add: ({ clock }, db, { id: merge_request_id }, userIds) => {
    const created_at = timestamp(clock);
    return db
      .insertInto('merge_request_reviewers')
      .values(userIds.map((user_id) => ({ merge_request_id, created_at, user_id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  remove: (db, { id }, userIds) =>
    db
      .deleteFrom('merge_request_reviewers')
      .where('merge_request_id', '=', id)
      .where('user_id', 'in', userIds)
      .execute(),
};

/** Replaces the reviewers of a merge request, as `changePeople`. */
export const changeReviewers = changePeople.bind(null, REVIEWER);

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
  await writeSystemNote(deps, db, about, actorId, 'reviewer', `requested review from ${namesOf(reviewers)}`);
  await addTodos(deps, db, about, 'review_requested', ids, { authorId: actorId });
}
