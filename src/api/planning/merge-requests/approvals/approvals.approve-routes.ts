import { Type } from 'typebox';
import { effectivePlan, includesPlan } from '../../../../access/access.plan.ts';
import { isTokenBot } from '../../../../access/caller.ts';
import { unauthorized } from '../../../../core/core.errors.ts';
import { route } from '../../../../http/http.route.ts';
import { optional, Secret } from '../../../../http/http.schema.ts';
import { inProjectByUser } from '../../../api.access.ts';
import { publishReview } from '../../draft-notes/draft-notes.publish.ts';
import type { ReviewedMergeRequest } from '../../draft-notes/draft-notes.writes.ts';
import { NOTEABLE_KINDS } from '../../notes/noteable.ts';
import { reviewWriter } from '../../quick-actions/quick-actions.comment.ts';
import { onMergeRequest } from '../lifecycle/merge-requests.access.ts';
import { findMergeRequest } from '../lifecycle/merge-requests.find.ts';
import { approve, resetByBot, unapprove } from './approve.ts';
import {
  ApprovalSummary,
  ApprovalSummaryOfPlan,
  MergeRequestApprovalState,
  presentState,
  presentSummary,
  withoutRules,
} from './summary.ts';

const PATH = '/projects/:id/merge_requests/:merge_request_iid';
const params = Type.Object({ merge_request_iid: Type.Integer() });
const access = inProjectByUser('read_merge_request');
const approver = onMergeRequest('approve_merge_request', { refusal: () => unauthorized() });
const summary = { status: 201, schema: ApprovalSummary } as const;

export const approveRoutes = [
  route({
    method: 'POST',
    path: `${PATH}/approve`,
    plan: 'premium',
    summary: 'Approve a merge request',
    access: approver,
    input: optional({
      sha: Type.String({ description: 'Expected head of the merge request; the request fails if the head differs.' }),
      approval_password: Secret({ description: 'Password of the caller, if the project requires it for approvals.' }),
      publish_review: Type.Boolean({ description: "Also publishes the caller's draft notes." }),
    }),
    success: summary,
    errors: [401, 404, 409, 429],
    handler: async (c) => {
      const { row: mergeRequest } = c;
      const approved = await approve(c.deps, c.caller, mergeRequest, c.input);
      if (c.input.publish_review === true) {
        const noteable = await NOTEABLE_KINDS.merge_requests.find(c.deps, c, mergeRequest.iid);
        const review = reviewWriter(c);
        await publishReview(c.deps, c, noteable as ReviewedMergeRequest, {}, review.write);
        await review.finish(c.deps);
      }
      return presentSummary(c.deps, c.caller, approved.mergeRequest, approved.state);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/unapprove`,
    plan: 'premium',
    summary: "Take back the caller's approval of a merge request",
    access: approver,
    success: summary,
    errors: [401, 404],
    handler: async (c) => presentSummary(c.deps, c.caller, await unapprove(c.deps, c.caller, c.row)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/reset_approvals`,
    plan: 'premium',
    summary: 'Reset all approvals of a merge request; only for bots of a project or group',
    access: onMergeRequest('reset_approvals', {
      refusal: () => unauthorized(),
      further: async (_deps, { caller }) => isTokenBot(caller.user),
    }),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [401, 404],
    handler: async (c) => {
      await resetByBot(c.deps, c.row);
      return { message: '202 Accepted' };
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/approvals`,
    summary: 'Get the approvals of a merge request',
    description: 'Without rules if the plan has no approval rules.',
    deprecated: true,
    access,
    params,
    success: { status: 200, schema: ApprovalSummaryOfPlan },
    errors: [404],
    handler: async (c) => {
      const mergeRequest = await findMergeRequest(c.deps.db, c, c.params.merge_request_iid);
      const summary = await presentSummary(c.deps, c.caller, mergeRequest);
      return includesPlan(await effectivePlan(c.deps), 'premium') ? summary : withoutRules(summary);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/approval_state`,
    plan: 'premium',
    summary: 'Get the approval state of a merge request, by rule',
    access,
    params,
    success: { status: 200, schema: MergeRequestApprovalState },
    errors: [404],
    handler: async (c) =>
      presentState(c.deps, c.caller, await findMergeRequest(c.deps.db, c, c.params.merge_request_iid)),
  }),
];
