import { Type } from 'typebox';
import { isTokenBot } from '../../../../access/caller.ts';
import { timestamp } from '../../../../core/clock.ts';
import { refused, unauthorized } from '../../../../core/errors.ts';
import { route } from '../../../../http/route.ts';
import { optional, Secret } from '../../../../http/schema.ts';
import { inProjectByUser } from '../../../access.ts';
import { publishReview } from '../../draft-notes/publish.ts';
import type { Reviewed } from '../../draft-notes/writes.ts';
import { NOTEABLE_KINDS } from '../../notes/noteable.ts';
import { reviewWriter } from '../../quick-actions/comment.ts';
import { findMergeRequest } from '../requests/find.ts';
import { onMergeRequest } from '../requests/kind.ts';
import { lockMergeRequest } from '../requests/lock.ts';
import { approve, resetByBot, unapprove } from './approve.ts';
import { prohibited } from './merge-request-rules.ts';
import { MAX_APPROVALS } from './rule-inputs.ts';
import { settingsInForce } from './settings-in-force.ts';
import { ApprovalSummary, MergeRequestApprovalState, presentState, presentSummary } from './summary.ts';

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
      sha: Type.String({ description: 'Head of the merge request that is approved; refused when it is another.' }),
      approval_password: Secret({ description: "The caller's password, where approving needs it." }),
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
        await publishReview(c.deps, c, noteable as Reviewed, {}, review.write);
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
    summary: 'Take all approvals of a merge request away; only for bots of a project or group',
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
    access,
    params,
    success: { status: 200, schema: ApprovalSummary },
    errors: [404],
    handler: async (c) =>
      presentSummary(c.deps, c.caller, await findMergeRequest(c.deps.db, c, c.params.merge_request_iid)),
  }),
  route({
    method: 'GET',
    path: `${PATH}/approval_state`,
    plan: 'premium',
    summary: 'Get where a merge request stands to each of its approval rules',
    access,
    params,
    success: { status: 200, schema: MergeRequestApprovalState },
    errors: [404],
    handler: async (c) =>
      presentState(c.deps, c.caller, await findMergeRequest(c.deps.db, c, c.params.merge_request_iid)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/approvals`,
    operationId: 'updateProjectMergeRequestApprovals',
    plan: 'premium',
    summary: 'Change how many approvals a merge request needs',
    deprecated: true,
    access: onMergeRequest('admin_merge_request_rules', { refusal: prohibited }),
    input: Type.Object({ approvals_required: Type.Integer({ minimum: 0, maximum: MAX_APPROVALS }) }),
    success: summary,
    errors: [403, 404, 422],
    handler: async (c) => {
      const { row: mergeRequest } = c;
      if (settingsInForce(c.deps, c.project).disable_overriding_approvers_per_merge_request) {
        throw refused('422 Unprocessable Entity', 422);
      }
      if (mergeRequest.state === 'merged') throw prohibited();
      const { approvals_required } = c.input;
      const changed = await c.deps.db.transaction().execute(async (db) => {
        await lockMergeRequest(db, mergeRequest.id);
        return db
          .updateTable('merge_requests')
          .set({ approvals_before_merge: approvals_required, updated_at: timestamp(c.deps.clock) })
          .where('id', '=', mergeRequest.id)
          .where('state', '!=', 'merged')
          .returningAll()
          .executeTakeFirst();
      });
      return presentSummary(c.deps, c.caller, changed ?? mergeRequest);
    },
  }),
];
