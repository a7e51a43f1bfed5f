import { Type } from 'typebox';
import type { UserCaller } from '../../../../access/caller.ts';
import { recordNotFound } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { route } from '../../../../http/http.route.ts';
import { pagination } from '../../../../http/http.schema.ts';
import { inProjectByUser } from '../../../api.access.ts';
import { findMergeRequest } from '../lifecycle/merge-requests.find.ts';
import { createOwnRule, deleteOwnRule, ruleEditor, updateOwnRule } from './approvals.merge-request-rules.ts';
import { CreateMergeRequestRule, UpdateMergeRequestRule } from './approvals.rule-inputs.ts';
import { MergeRequestRule } from './approvals.rule-responses.ts';
import { presentOwn } from './approvals.rule-views.ts';
import { describeApprovals } from './description.ts';

const PATH = '/projects/:id/merge_requests/:merge_request_iid/approval_rules';
const ONE = `${PATH}/:approval_rule_id`;
const iid = { merge_request_iid: Type.Integer() };
const params = Type.Object(iid);
const rule = { approval_rule_id: Type.Integer() };
const ruleParams = Type.Object(rule);
const oneParams = Type.Object({ ...iid, ...rule });
const access = inProjectByUser('read_merge_request');

/** Presents the rules in force for a merge request. */
async function presentRules(deps: Deps, caller: UserCaller, mergeRequest: MergeRequest) {
  const { rules, context } = await describeApprovals(deps, caller, mergeRequest);
  return rules.flatMap((state) => (state.rule === null ? [] : presentOwn(deps, state, state.rule, context)));
}

async function presentRule(deps: Deps, caller: UserCaller, mergeRequest: MergeRequest, id: number) {
  const rules = await presentRules(deps, caller, mergeRequest);
  const shown = rules.find((rule) => rule.id === id);
  if (shown === undefined) throw recordNotFound();
  return shown;
}

export const mergeRequestRuleRoutes = [
  route({
    method: 'GET',
    path: PATH,
    plan: 'premium',
    summary: 'List the approval rules in force for a merge request',
    access,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(MergeRequestRule) },
    errors: [404],
    handler: async (c) => {
      const mergeRequest = await findMergeRequest(c.deps.db, c, c.params.merge_request_iid);
      return c.page(await presentRules(c.deps, c.caller, mergeRequest));
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    plan: 'premium',
    summary: 'Get an approval rule in force for a merge request',
    access,
    params: oneParams,
    success: { status: 200, schema: MergeRequestRule },
    errors: [404],
    handler: async (c) => {
      const mergeRequest = await findMergeRequest(c.deps.db, c, c.params.merge_request_iid);
      return presentRule(c.deps, c.caller, mergeRequest, c.params.approval_rule_id);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    plan: 'premium',
    summary: 'Create an approval rule of a merge request',
    access: ruleEditor,
    input: CreateMergeRequestRule,
    success: { status: 201, schema: MergeRequestRule },
    errors: [403, 404],
    handler: async (c) => {
      const { row: mergeRequest } = c;
      const id = await createOwnRule(c.deps, c.caller, mergeRequest, c.input);
      return presentRule(c.deps, c.caller, mergeRequest, id);
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    plan: 'premium',
    summary: 'Change an approval rule of a merge request',
    access: ruleEditor,
    params: ruleParams,
    input: UpdateMergeRequestRule,
    success: { status: 200, schema: MergeRequestRule },
    errors: [403, 404],
    handler: async (c) => {
      const { row: mergeRequest } = c;
      const id = await updateOwnRule(c.deps, c.caller, mergeRequest, c.params.approval_rule_id, c.input);
      return presentRule(c.deps, c.caller, mergeRequest, id);
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    plan: 'premium',
    summary: 'Delete an approval rule of a merge request',
    access: ruleEditor,
    params: ruleParams,
    success: { status: 204, empty: true },
    errors: [403, 404],
    handler: async (c) => {
      const { row: mergeRequest } = c;
      await deleteOwnRule(c.deps, c.caller, mergeRequest, c.params.approval_rule_id);
    },
  }),
];
