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

/** Changes of approval rules in the creation or update of a merge request. */
export const ApprovalRulesAttributes = Type.Array(
  optional({
    id: Type.Integer({ description: 'Id of the rule to change; a new rule is created if absent.' }),
    name: Type.String({ description: 'Required for a new rule.' }),
    approvals_required: Type.Integer({ description: 'From 0 to 100; required for a new rule.' }),
    approval_project_rule_id: Type.Integer({ description: 'Id of the project rule that the new rule replaces.' }),
    user_ids: ids('Ids of the approvers.'),
    group_ids: ids('Ids of groups whose members are approvers.'),
    remove_hidden_groups: Type.Boolean({ description: 'Also removes groups that the caller may not see.' }),
    _destroy: Type.Boolean({ description: 'Deletes the rule given by `id`.' }),
  }),
  {
    maxItems: 100,
    description: 'Approval rules of the merge request to create, change or delete.',
    ...ofPlan('premium'),
  },
);
type Attributes = Static<typeof ApprovalRulesAttributes>;

/**
 * Prepares changes of approval rules for the transaction that writes their merge request.
 * @param mergeRequest null for a new one
 * @returns a function that makes the changes in order; takes the final merge request
 * @throws ApiError 400 for invalid rules, 403 if the caller may not change rules, 404; the returned function throws the
 *   same
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
    if (mergeRequest === null) throw invalidParameter(`${at}[id] is not a rule of the merge request`);
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
