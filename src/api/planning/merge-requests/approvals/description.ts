import type { UserCaller } from '../../../../access/caller.ts';
import { recordNotFound } from '../../../../core/core.errors.ts';
import { pluck } from '../../../../core/pluck.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { usersById } from '../../../identity/index.ts';
import { type RuleContext, ruleContext } from './approvals.rule-views.ts';
import { type ApprovalState, approvalStates, isApprover } from './approvals.state.ts';
import { loadVoters } from './voters.ts';

/** Data about the approvals of a merge request, for responses. */
export interface Description extends ApprovalState {
  context: RuleContext;
  /** Users who approved, by id. */
  approvers: ReadonlyMap<number, User>;
  hasApproved: boolean;
  canApprove: boolean;
}

/** Whether a merge request can still be approved. */
export const isApprovable = ({ state }: Pick<MergeRequest, 'state'>): boolean =>
  state === 'opened' || state === 'locked';

/**
 * Loads the data about the approvals of a merge request, in a bounded number of queries.
 * @param known its approval state, if just computed
 * @throws ApiError 404 if it no longer exists
 */
export async function describeApprovals(
  deps: Deps,
  caller: UserCaller,
  mergeRequest: MergeRequest,
  known?: ApprovalState,
): Promise<Description> {
  const { db } = deps;
  const { id, project_id } = mergeRequest;
  const state = known ?? (await approvalStates(deps, db, [mergeRequest])).get(id);
  if (state === undefined) throw recordNotFound();
  const rules = state.rules.flatMap(({ rule }) => rule ?? []);
  const context = await ruleContext(deps, caller, project_id, rules);
  const named = [...context.eligible.values()].flatMap((users) => users.map((user) => user.id));
  const approvers = await usersById(db, pluck(state.approvals, 'user_id'));
  const mine = caller.user.id;
  const hasApproved = approvers.has(mine);
  const voters = await loadVoters(deps, db, {
    mergeRequests: [mergeRequest],
    settings: new Map([[project_id, state.settings]]),
    rules,
    userIds: [...new Set([...named, ...(hasApproved ? [] : [mine])])],
    heads: new Map([[id, new Set<string>()]]),
  });
  return {
    ...state,
    context: {
      ...context,
      eligible: new Map(
        [...context.eligible].map(([rule, users]) => [
          rule,
          users.filter((user) => !voters.seemsExcluded(mergeRequest, user.id)),
        ]),
      ),
    },
    approvers,
    hasApproved,
    canApprove:
      isApprovable(mergeRequest) &&
      !hasApproved &&
      !voters.seemsExcluded(mergeRequest, mine) &&
      isApprover(mergeRequest, state.rules, mine, voters),
  };
}
