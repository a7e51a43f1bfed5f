import { includesPlan } from '../../../../access/access.plan.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import { publishReview, setReviewer } from '../../draft-notes/draft-notes.publish.ts';
import { draftsOf, type ReviewedMergeRequest } from '../../draft-notes/draft-notes.writes.ts';
import { approve, unapprove } from '../../merge-requests/approvals/approve.ts';
import { type Context, type ExecutionContext, MERGE_REQUESTS, type QuickAction } from '../quick-actions.action.ts';

const reviewed = ({ id, iid, project_id, author_id, discussion_locked }: MergeRequest): ReviewedMergeRequest => ({
  type: 'MergeRequest',
  id,
  iid,
  projectId: project_id,
  authorId: author_id,
  locked: discussion_locked === 1,
});

const mayApprove = ({ plan, scope, mergeRequest }: Context): boolean =>
  includesPlan(plan, 'premium') &&
  mergeRequest !== null &&
  mergeRequest.state !== 'merged' &&
  scope.permissions.can('approve_merge_request');

const APPROVED = 'Approved the current merge request.';
const SUBMITTED = 'Submitted the current review.';
/** Review states that can be given as argument. */
const STATES = ['reviewed', 'requested_changes'] as const;

async function hasDrafts({ deps, scope, mergeRequest }: ExecutionContext): Promise<boolean> {
  const drafts = draftsOf(deps.db, reviewed(mergeRequest!), scope.caller.user.id);
  return (await drafts.limit(1).executeTakeFirst()) !== undefined;
}

/** Quick actions for reviews: approvals, publishing drafts, review states. */
export const reviewActions: readonly QuickAction[] = [
  {
    name: 'approve',
    on: MERGE_REQUESTS,
    once: true,
    may: mayApprove,
    evaluate: (c) => ({
      message: APPROVED,
      inTransaction: async (at) => {
        const { deps, scope, mergeRequest } = at;
        const drafts = !c.inReview && (await hasDrafts(at));
        await approve(deps, scope.caller, mergeRequest!, {});
        if (!drafts) return undefined;
        await publishReview(deps, scope, reviewed(mergeRequest!), {}, at.write);
        return `${SUBMITTED} ${APPROVED}`;
      },
    }),
  },
  {
    name: 'unapprove',
    on: MERGE_REQUESTS,
    once: true,
    may: mayApprove,
    evaluate: () => ({
      message: 'Unapproved the current merge request.',
      inTransaction: async ({ deps, scope, mergeRequest }) => {
        await unapprove(deps, scope.caller, mergeRequest!);
        return undefined;
      },
    }),
  },
  {
    name: 'submit_review',
    on: MERGE_REQUESTS,
    once: true,
    may: ({ mergeRequest }) => mergeRequest !== null,
    evaluate: (c, argument) => {
      // The surrounding review is submitted anyway.
      if (c.inReview) return undefined;
      const state = STATES.find((each) => each === argument);
      return {
        message: SUBMITTED,
        inTransaction: async ({ deps, scope, mergeRequest, write }) => {
          const input = state === undefined ? {} : { reviewer_state: state };
          await publishReview(deps, scope, reviewed(mergeRequest!), input, write);
          if (argument !== 'approve' || !mayApprove({ ...c, mergeRequest })) return undefined;
          await approve(deps, scope.caller, mergeRequest!, {});
          return `${SUBMITTED} ${APPROVED}`;
        },
      };
    },
  },
  {
    name: 'request_changes',
    on: MERGE_REQUESTS,
    may: ({ mergeRequest }) => mergeRequest?.state === 'opened',
    evaluate: () => ({
      message: 'Changes requested to the current merge request.',
      inTransaction: async ({ deps, scope, mergeRequest }) => {
        await setReviewer(deps.db, reviewed(mergeRequest!), scope, 'requested_changes');
        return undefined;
      },
    }),
  },
];
