import type { Area } from '../area.ts';
import { awardEmojiRoutes } from './award-emoji/routes.ts';
import { commitCommentRoutes } from './commit-comments/routes.ts';
import { registerLineWork } from './discussions/background.ts';
import { discussionRoutes } from './discussions/routes.ts';
import { draftNoteRoutes } from './draft-notes/routes.ts';
import { registerActivityFeed } from './events/record.ts';
import { eventRoutes } from './events/routes.ts';
import { peopleRoutes } from './issuables/people-routes.ts';
import { timeRoutes } from './issuables/time-routes.ts';
import { registerUnassigning } from './issuables/unassign.ts';
import { takePartInUserRemoval } from './issuables/user-removal.ts';
import { issueLinkRoutes } from './issue-links/routes.ts';
import { issueListRoutes } from './issues/list-routes.ts';
import { issueMergeRequestRoutes } from './issues/merge-request-routes.ts';
import { issueMoveRoutes } from './issues/move-routes.ts';
import { issueRoutes } from './issues/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { registerResync } from './merge-requests/approvals/owners-changed.ts';
import { approvalRoutes } from './merge-requests/approvals/routes.ts';
import { approvalsLeft } from './merge-requests/approvals/state.ts';
import { contextCommitRoutes } from './merge-requests/context-commits/routes.ts';
import { externalStatusCheckRoutes } from './merge-requests/external-status-checks/routes.ts';
import { registerMergeRequestWork } from './merge-requests/head/background.ts';
import { registerMerging } from './merge-requests/merging/background.ts';
import { recoverMerges } from './merge-requests/merging/lock.ts';
import { mergingRoutes } from './merge-requests/merging/routes.ts';
import { mergeRequestChangeRoutes } from './merge-requests/requests/change-routes.ts';
import { commitMergeRequestRoutes } from './merge-requests/requests/commit-routes.ts';
import { MERGE_REQUEST_KIND } from './merge-requests/requests/kind.ts';
import { mergeRequestListRoutes } from './merge-requests/requests/list-routes.ts';
import { registerMergedDeletion } from './merge-requests/requests/merged-branches.ts';
import { mergedBranchRoutes } from './merge-requests/requests/merged-branches-routes.ts';
import { mergeRequestPageRoutes } from './merge-requests/requests/page-routes.ts';
import { mergeRequestRelatedRoutes } from './merge-requests/requests/related-routes.ts';
import { mergeRequestRoutes } from './merge-requests/requests/routes.ts';
import { milestoneIssuableRoutes } from './milestones/issuable-routes.ts';
import { milestoneRoutes } from './milestones/routes.ts';
import { noteRoutes } from './notes/routes.ts';
import { registerReferences } from './references/background.ts';
import { resourceEventRoutes } from './resource-events/routes.ts';
import { registerTodos } from './todos/background.ts';
import { todoRoutes } from './todos/routes.ts';
import { userCountRoutes } from './user-counts/routes.ts';

export type { UserScope } from '../object-access.ts';
export { lineCode } from './discussions/position.ts';
export { issuableTarget } from './issuables/access.ts';
export { assigneesFor } from './issuables/assignees.ts';
export { humanDuration } from './issuables/durations.ts';
export { labelsFor } from './issuables/labels.ts';
export { pageOfIssuables } from './issuables/page.ts';
export { participantsOf } from './issuables/participants.ts';
export { saySubscribed } from './issuables/subscriptions.ts';
export { findIssue } from './issues/find.ts';
export { selectIssues } from './issues/list.ts';
export { updateIssue } from './issues/update.ts';
export { issueUrl } from './issues/views.ts';
export { refreshMergeRequest } from './merge-requests/head/refresh.ts';
export { headPipelines } from './merge-requests/merging/head-pipelines.ts';
export { updateMergeRef } from './merge-requests/merging/merge-ref.ts';
export { acceptMergeRequest } from './merge-requests/merging/writes.ts';
export { MergeRequestBasic } from './merge-requests/requests/answers.ts';
export { tipOf } from './merge-requests/requests/branches.ts';
export { createMergeRequest } from './merge-requests/requests/create.ts';
export { isFirstContribution } from './merge-requests/requests/detail-views.ts';
export { findMergeRequest } from './merge-requests/requests/find.ts';
export type { UpdateMergeRequest } from './merge-requests/requests/inputs.ts';
export { withDraft } from './merge-requests/requests/title.ts';
export { loadMergeRequestViews } from './merge-requests/requests/view-rows.ts';
export { mergeRequestUrl, presentMergeRequests } from './merge-requests/requests/views.ts';
export { Milestone } from './milestones/answers.ts';
export { milestonesById } from './milestones/find.ts';
export { mayComment } from './notes/rights.ts';
export { countNote } from './notes/writes.ts';
export { createComment as comment } from './quick-actions/comment.ts';
export {
  createIssueWithActions as createActingIssue,
  createMergeRequestWithActions as createActingMergeRequest,
  updateMergeRequestWithActions as updateActingMergeRequest,
} from './quick-actions/descriptions.ts';
export { approversOf } from './todos/background.ts';

/** Issues, merge requests, what is said of them and what is told of all that. */
export const planning: Area = {
  routes: [
    ...awardEmojiRoutes,
    ...discussionRoutes,
    ...draftNoteRoutes,
    ...eventRoutes,
    ...issueLinkRoutes,
    ...issueListRoutes,
    ...issueMergeRequestRoutes,
    ...issueMoveRoutes,
    ...issueRoutes,
    ...labelRoutes,
    ...approvalRoutes,
    ...contextCommitRoutes,
    ...externalStatusCheckRoutes,
    ...mergingRoutes,
    ...mergeRequestListRoutes,
    ...mergeRequestPageRoutes,
    ...mergeRequestRoutes,
    ...mergeRequestChangeRoutes,
    ...mergeRequestRelatedRoutes,
    ...timeRoutes(MERGE_REQUEST_KIND),
    ...peopleRoutes(MERGE_REQUEST_KIND),
    ...milestoneIssuableRoutes,
    ...milestoneRoutes,
    ...noteRoutes,
    ...resourceEventRoutes,
    ...todoRoutes,
    ...commitCommentRoutes,
    ...userCountRoutes,
    ...commitMergeRequestRoutes,
    ...mergedBranchRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerLineWork(deps);
    registerActivityFeed(deps);
    registerUnassigning(deps);
    registerResync(deps);
    registerMergedDeletion(deps);
    takePartInUserRemoval(deps);
    registerMergeRequestWork(deps);
    registerMerging(deps);
    registerReferences(deps);
    registerTodos(deps);
    deps.isApproved = async (db, mergeRequest) =>
      (await approvalsLeft(deps, db, [mergeRequest])).get(mergeRequest.id) === 0;
  },
  recover: recoverMerges,
};
