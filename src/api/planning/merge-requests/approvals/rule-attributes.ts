import { type Static, Type } from 'typebox';
import { invalidParameter } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { List, ofPlan, optional } from '../../../../http/http.schema.ts';
import {
  changeOfRule,
  creationOfRule,
  type EditorScope,
  type RuleChange,
  removalOfRule,
  requireEditor,
  requireOverridable,
} from './approvals.merge-request-rules.ts';

const ids = (description: string) => List(Type.Integer(), { maxItems: 1_000, description });

/** What is done to the approval rules of a merge request as it is made or changed. */
export const ApprovalRulesAttributes = Type.Array(
  optional({
    id: Type.Integer({ description: 'Rule that is changed; without it a new one is made.' }),
    name: Type.String({ description: 'Needed for a new rule.' }),
    approvals_required: Type.Integer({ description: 'From 0 to 100; needed for a new rule.' }),
    approval_project_rule_id: Type.Integer({ description: "A project's rule, in whose place the new one stands." }),
    user_ids: ids('Users who approve by it.'),
    group_ids: ids('Groups whose members approve by it.'),
    remove_hidden_groups: Type.Boolean({ description: 'Also removes groups hidden from the caller.' }),
    _destroy: Type.Boolean({ description: 'Removes the rule of `id`.' }),
  }),
  {
    maxItems: 100,
    description: 'Approval rules of the merge request that are made, changed or removed.',
    ...ofPlan('premium'),
  },
);
type Attributes = Static<typeof ApprovalRulesAttributes>;

/**
 * Gets changes of approval rules ready for the transaction that writes their merge request.
 * @param mergeRequest null for one that is about to be made
 * @returns makes them, in their order; give it the merge request as it will be
 * @throws ApiError 400 for what no rule can be, 403 for who may not change rules, 404; all of it when they are made, too
 */
export async function rulesFromAttributes(
  deps: Deps,
  scope: EditorScope,
  mergeRequest: MergeRequest | null,
  attributes: Attributes = [],
): Promise<(db: Db, now: MergeRequest) => Promise<void>> {
  if (attributes.length === 0) return async () => undefined;
  await requireEditor(deps, scope, mergeRequest ?? { author_id: scope.caller.user.id, state: 'opened' });
  const changes: RuleChange[] = [];
  for (const [index, each] of attributes.entries()) {
    changes.push(await changeFrom(deps, scope, mergeRequest, each, `approval_rules_attributes[${index}]`));
  }
  return async (db, now) => {
    await requireOverridable(deps, db, now);
    for (const change of changes) await change(db, now);
  };
}

async function changeFrom(
  deps: Deps,
  { caller, project }: EditorScope,
  mergeRequest: MergeRequest | null,
  { id, _destroy: destroy, approval_project_rule_id, remove_hidden_groups, ...rule }: Attributes[number],
  at: string,
): Promise<RuleChange> {
  if (id !== undefined) {
    if (mergeRequest === null) throw invalidParameter(`${at}[id] is no rule of the merge request`);
    if (destroy) return removalOfRule(deps, id);
    const hidden = remove_hidden_groups === undefined ? {} : { remove_hidden_groups };
    return changeOfRule(deps, caller, mergeRequest, id, { ...rule, ...hidden });
  }
  if (destroy) throw invalidParameter(`${at}[id] is missing`);
  const { name, approvals_required, ...approvers } = rule;
  if (name === undefined) throw invalidParameter(`${at}[name] is missing`);
  if (approvals_required === undefined) throw invalidParameter(`${at}[approvals_required] is missing`);
  const source = approval_project_rule_id === undefined ? {} : { approval_project_rule_id };
  return creationOfRule(deps, caller, project.id, { name, approvals_required, ...approvers, ...source });
}
