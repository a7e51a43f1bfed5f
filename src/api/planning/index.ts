import type { Area } from '../area.ts';
import { awardEmojiRoutes } from './award-emoji/award-emoji.routes.ts';
import { commitCommentRoutes } from './commit-comments/commit-comments.routes.ts';
import { registerLineWork } from './discussions/discussions.background.ts';
import { discussionRoutes } from './discussions/discussions.routes.ts';
import { draftNoteRoutes } from './draft-notes/draft-notes.routes.ts';
import { registerActivityFeed } from './events/events.record.ts';
import { eventRoutes } from './events/events.routes.ts';
import { peopleRoutes } from './issuables/issuables.people-routes.ts';
import { timeRoutes } from './issuables/issuables.time-routes.ts';
import { registerUserRemoval } from './issuables/issuables.user-removal.ts';
import { registerUnassign } from './issuables/unassign.ts';
import { issueLinkRoutes } from './issue-links/issue-links.routes.ts';
import { issueListRoutes } from './issues/issues.list-routes.ts';
import { issueMergeRequestRoutes } from './issues/issues.merge-request-routes.ts';
import { issueMoveRoutes } from './issues/issues.move-routes.ts';
import { issueRoutes } from './issues/issues.routes.ts';
import { labelRoutes } from './labels/labels.routes.ts';
import { markdownRoutes } from './markdown/markdown.routes.ts';
import { approvalRoutes } from './merge-requests/approvals/approvals.routes.ts';
import { isApproved } from './merge-requests/approvals/approvals.state.ts';
import { contextCommitRoutes } from './merge-requests/context-commits/context-commits.routes.ts';
import { externalStatusCheckRoutes } from './merge-requests/external-status-checks/external-status-checks.routes.ts';
import { registerMergeRequestWork } from './merge-requests/head/merge-request-head.background.ts';
import { registerResync } from './merge-requests/head/owners-changed.ts';
import { registerMerging } from './merge-requests/merging/merging.background.ts';
import { recoverMerges } from './merge-requests/merging/merging.lock.ts';
import { mergingRoutes } from './merge-requests/merging/merging.routes.ts';
import { mergeRequestChangeRoutes } from './merge-requests/requests/merge-requests.change-routes.ts';
import { commitMergeRequestRoutes } from './merge-requests/requests/merge-requests.commit-routes.ts';
import { mergeRequestListRoutes } from './merge-requests/requests/merge-requests.list-routes.ts';
import { mergedBranchRoutes } from './merge-requests/requests/merge-requests.merged-branches-routes.ts';
import { mergeRequestPageRoutes } from './merge-requests/requests/merge-requests.page-routes.ts';
import { mergeRequestRelatedRoutes } from './merge-requests/requests/merge-requests.related-routes.ts';
import { mergeRequestRoutes } from './merge-requests/requests/merge-requests.routes.ts';
import { registerMergedDeletion } from './merge-requests/requests/merged-branches.ts';
import { MERGE_REQUEST_KIND } from './merge-requests/views/merge-requests.kind.ts';
import { milestoneIssuableRoutes } from './milestones/milestones.issuable-routes.ts';
import { milestoneRoutes } from './milestones/milestones.routes.ts';
import { noteRoutes } from './notes/notes.routes.ts';
import { registerReferences } from './references/references.background.ts';
import { resourceEventRoutes } from './resource-events/resource-events.routes.ts';
import { registerSuggestions } from './suggestions/suggestions.background.ts';
import { suggestionRoutes } from './suggestions/suggestions.routes.ts';
import { registerTodos } from './todos/todos.background.ts';
import { todoRoutes } from './todos/todos.routes.ts';
import { userCountRoutes } from './user-counts/user-counts.routes.ts';

export type { UserScope } from '../object-access.ts';
export { lineCode } from './discussions/position.ts';
export { assigneesFor } from './issuables/assignees.ts';
export { issuableTarget } from './issuables/issuables.access.ts';
export { humanDuration } from './issuables/issuables.durations.ts';
export { labelsFor } from './issuables/issuables.labels.ts';
export { pageOfIssuables } from './issuables/issuables.page.ts';
export { storeSubscription } from './issuables/issuables.subscriptions.ts';
export { participantsOf } from './issuables/participants.ts';
export { visibleIssues } from './issuables/visible-issues.ts';
export { visibleMergeRequests } from './issuables/visible-merge-requests.ts';
export { findIssue } from './issues/issues.find.ts';
export { selectIssues } from './issues/issues.list.ts';
export { Issue } from './issues/issues.responses.ts';
export { updateIssue } from './issues/issues.update.ts';
export { issueUrl, presentIssues } from './issues/issues.views.ts';
export { tipOf } from './merge-requests/lifecycle/branches.ts';
export { findMergeRequest } from './merge-requests/lifecycle/merge-requests.find.ts';
export { headPipelines } from './merge-requests/mergeability/head-pipelines.ts';
export { refreshMergeRequest } from './merge-requests/mergeability/refresh.ts';
export { updateMergeRef } from './merge-requests/merging/merge-ref.ts';
export { acceptMergeRequest } from './merge-requests/merging/merging.writes.ts';
export { recordMerge } from './merge-requests/merging/record-merge.ts';
export { createMergeRequest } from './merge-requests/requests/merge-requests.create.ts';
export type { UpdateMergeRequest } from './merge-requests/requests/merge-requests.inputs.ts';
export { listMergeRequests } from './merge-requests/requests/merge-requests.list.ts';
export { withDraft } from './merge-requests/requests/title.ts';
export { isFirstContribution } from './merge-requests/views/merge-requests.detail-views.ts';
export { MergeRequestBasic } from './merge-requests/views/merge-requests.responses.ts';
export { loadMergeRequestViews } from './merge-requests/views/merge-requests.view-rows.ts';
export { mergeRequestUrl, presentMergeRequests } from './merge-requests/views/merge-requests.views.ts';
export { milestonesById } from './milestones/milestones.find.ts';
export { visibleMilestones } from './milestones/milestones.queries.ts';
export { Milestone } from './milestones/milestones.responses.ts';
export { Note } from './notes/notes.responses.ts';
export { mayComment } from './notes/notes.rights.ts';
export { presentNote } from './notes/notes.views.ts';
export { countNote } from './notes/notes.writes.ts';
export {
  createIssueWithActions as createActingIssue,
  createMergeRequestWithActions as createActingMergeRequest,
  updateMergeRequestWithActions as updateActingMergeRequest,
} from './quick-actions/descriptions.ts';
export { createComment as comment } from './quick-actions/quick-actions.comment.ts';
export { presentSuggestions } from './suggestions/suggestions.views.ts';
export { approversOf } from './todos/todos.background.ts';

/** Issues, merge requests, comments, labels, milestones, activity and to-do items. */
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
    ...suggestionRoutes,
    ...todoRoutes,
    ...commitCommentRoutes,
    ...markdownRoutes,
    ...userCountRoutes,
    ...commitMergeRequestRoutes,
    ...mergedBranchRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerLineWork(deps);
    registerActivityFeed(deps);
    registerUnassign(deps);
    registerResync(deps);
    registerMergedDeletion(deps);
    registerUserRemoval(deps);
    registerMergeRequestWork(deps);
    registerSuggestions(deps);
    registerMerging(deps);
    registerReferences(deps);
    registerTodos(deps);
    deps.isApproved.provide((db, mergeRequest) => isApproved(deps, db, mergeRequest));
  },
  recover: recoverMerges,
};
