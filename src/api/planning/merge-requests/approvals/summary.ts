import { type Static, Type } from 'typebox';
import type { UserCaller } from '../../../../access/caller.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { Instant, Nullable } from '../../../../http/http.schema.ts';
import { UserBasic, userBasic } from '../../../identity/index.ts';
import { RuleState } from './approvals.rule-responses.ts';
import { presentOwn } from './approvals.rule-views.ts';
import { type ApprovalState, missingApprovals } from './approvals.state.ts';
import { type Description, describeApprovals } from './description.ts';

const RuleName = Type.Object({ id: Type.Integer(), name: Type.String(), rule_type: Type.String() });

/** Merge request approval summary (part 1, section 2). */
export const ApprovalSummary = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: Nullable(Type.String()),
  state: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  merge_status: Type.String(),
  approved: Type.Boolean(),
  approvals_required: Type.Integer(),
  approvals_left: Type.Integer(),
  require_password_to_approve: Type.Boolean(),
  approved_by: Type.Array(Type.Object({ user: UserBasic, approved_at: Instant() })),
  suggested_approvers: Type.Array(UserBasic, {
    description: 'Users whose approval would count towards the missing ones.',
  }),
  approvers: Type.Array(Type.Object({}), { description: 'Deprecated: always empty.' }),
  approver_groups: Type.Array(Type.Object({}), { description: 'Deprecated: always empty.' }),
  user_has_approved: Type.Boolean(),
  user_can_approve: Type.Boolean(),
  approval_rules_left: Type.Array(RuleName),
  has_approval_rules: Type.Boolean(),
  merge_request_approvers_available: Type.Boolean(),
  multiple_approval_rules_available: Type.Boolean(),
  invalid_approvers_rules: Type.Array(RuleName, {
    description: 'Rules with too few eligible approvers; they count as approved.',
  }),
});
type ApprovalSummary = Static<typeof ApprovalSummary>;

const { user_has_approved, user_can_approve, approved, approved_by, ...ofRules } = ApprovalSummary.properties;

/** The summary; a lower plan shows only who approved. */
export const ApprovalSummaryOfPlan = Type.Object({
  user_has_approved,
  user_can_approve,
  approved,
  approved_by,
  ...Type.Partial(Type.Object(ofRules)).properties,
});

/** The summary on a plan without approval rules: approved if there is an earlier approval. */
export const withoutRules = (summary: ApprovalSummary): Static<typeof ApprovalSummaryOfPlan> => ({
  user_has_approved: summary.user_has_approved,
  user_can_approve: false,
  approved: summary.approved_by.length > 0,
  approved_by: summary.approved_by,
});

/** `approval_state` of a merge request (silent in the specification). */
export const MergeRequestApprovalState = Type.Object({
  approval_rules_overwritten: Type.Boolean(),
  rules: Type.Array(RuleState),
});

function shownStatus({ merge_status }: MergeRequest): string {
  const underWay = merge_status === 'preparing' || merge_status === 'cannot_be_merged_rechecking';
  return underWay ? 'checking' : merge_status;
}

function* approvedBy(deps: Deps, { approvals, approvers }: Pick<Description, 'approvals' | 'approvers'>) {
  for (const { user_id, created_at } of approvals) {
    const user = approvers.get(user_id);
    if (user !== undefined) yield { user: userBasic(deps, user), approved_at: created_at };
  }
}

/**
 * Presents the approval summary of a merge request to the caller.
 * @param known its approval state, if just computed
 */
export async function presentSummary(
  deps: Deps,
  caller: UserCaller,
  mergeRequest: MergeRequest,
  known?: ApprovalState,
): Promise<ApprovalSummary> {
  const described = await describeApprovals(deps, caller, mergeRequest, known);
  const { rules, context, approvers, settings } = described;
  const left = missingApprovals(described);
  const open = rules.filter((rule) => rule.left > 0);
  const eligible = (rule: (typeof rules)[number]) => context.eligible.get(rule.rule?.id ?? 0) ?? [];
  const suggested = new Map<number, User>(open.flatMap((rule) => eligible(rule).map((user) => [user.id, user])));
  const named = (list: readonly (typeof rules)[number][]) =>
    list.flatMap(({ rule }) => (rule === null ? [] : { id: rule.id, name: rule.name, rule_type: rule.rule_type }));
  return {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    project_id: mergeRequest.project_id,
    title: mergeRequest.title,
    description: mergeRequest.description,
    state: mergeRequest.state,
    created_at: mergeRequest.created_at,
    updated_at: mergeRequest.updated_at,
    merge_status: shownStatus(mergeRequest),
    approved: left === 0,
    approvals_required: rules.reduce((sum, { required }) => sum + required, 0),
    approvals_left: left,
    require_password_to_approve: settings.require_reauthentication_to_approve,
    approved_by: [...approvedBy(deps, described)],
    suggested_approvers: [...suggested.values()]
      .filter(({ id }) => !approvers.has(id))
      .map((user) => userBasic(deps, user)),
    approvers: [],
    approver_groups: [],
    user_has_approved: described.hasApproved,
    user_can_approve: described.canApprove,
    approval_rules_left: named(open),
    has_approval_rules: rules.some(({ rule }) => rule !== null),
    merge_request_approvers_available: true,
    multiple_approval_rules_available: true,
    invalid_approvers_rules: named(rules.filter(({ unsatisfiable }) => unsatisfiable)),
  };
}

/** Presents the approval state of a merge request by rule. */
export async function presentState(
  deps: Deps,
  caller: UserCaller,
  mergeRequest: MergeRequest,
): Promise<Static<typeof MergeRequestApprovalState>> {
  const { rules, context, approvers } = await describeApprovals(deps, caller, mergeRequest);
  return {
    approval_rules_overwritten: rules.some(
      ({ rule }) => rule !== null && rule.merge_request_id !== null && rule.rule_type !== 'code_owner',
    ),
    rules: rules.flatMap((state) => {
      const { rule } = state;
      if (rule === null) return [];
      return {
        ...presentOwn(deps, state, rule, context),
        code_owner: rule.rule_type === 'code_owner',
        approved_by: [...approvedBy(deps, { ...state, approvers })].map(({ user }) => user),
        approved: state.left === 0,
      };
    }),
  };
}
