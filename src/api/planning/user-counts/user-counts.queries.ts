import type { UserCaller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import { countOf } from '../../../db/paginate.ts';
import type { Deps } from '../../../deps.ts';
import { visibleIssues } from '../issuables/visible-issues.ts';
import { visibleMergeRequests } from '../issuables/visible-merge-requests.ts';
import { visibleTodos } from '../todos/todos.visible.ts';

const OPEN = { nonArchived: true };

/** Counts of the caller's visible open work, each at most 10,001. */
export async function openCounts(deps: Deps, caller: UserCaller) {
  const { db } = deps;
  const { id } = caller.user;
  const day = today(deps.clock);
  const assigned = (type: 'Issue' | 'MergeRequest') =>
    db
      .selectFrom('issuable_assignees')
      .select('issuable_id')
      .where('issuable_type', '=', type)
      .where('user_id', '=', id);
  const toReview = db.selectFrom('merge_request_reviewers').select('merge_request_id').where('user_id', '=', id);
  const mergeRequests = db
    .selectFrom('merge_requests')
    .select('merge_requests.id')
    .where('state', '=', 'opened')
    .where(visibleMergeRequests(caller, day, OPEN));
  const issues = await countOf(
    db,
    db
      .selectFrom('issues')
      .select('issues.id')
      .where('state', '=', 'opened')
      .where('issues.id', 'in', assigned('Issue'))
      .where(visibleIssues(caller, day, OPEN)),
  );
  const merges = await countOf(db, mergeRequests.where('merge_requests.id', 'in', assigned('MergeRequest')));
  const reviews = await countOf(db, mergeRequests.where('merge_requests.id', 'in', toReview));
  const todos = await countOf(
    db,
    db
      .selectFrom('todos')
      .select('todos.id')
      .where('todos.user_id', '=', id)
      .where('todos.state', '=', 'pending')
      .where(await visibleTodos(deps, caller)),
  );
  return {
    merge_requests: merges,
    assigned_issues: issues,
    assigned_merge_requests: merges,
    review_requested_merge_requests: reviews,
    todos,
  };
}
