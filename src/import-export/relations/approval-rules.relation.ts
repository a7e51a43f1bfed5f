import { pluck } from '../../core/pluck.ts';
import type { ApprovalRule } from '../../db/tables/approval-rules.table.ts';
import { type Exporting, PAGE, pagedRelation } from './relation.ts';

/** Rules with named approvers; groups and roles exist on this server only. */
export async function approvalRuleObjects({ db, names }: Exporting, rules: readonly ApprovalRule[]) {
  const ids = rules.map(({ id }) => id);
  const users = await db
    .selectFrom('approval_rule_users')
    .selectAll()
    .where('rule_id', 'in', ids)
    .orderBy('user_id')
    .execute();
  for (const { user_id } of users) names(user_id);
  return new Map(
    rules.map(({ id, name, rule_type, report_type, approvals_required, created_at, updated_at }) => [
      id,
      {
        ...{ name, rule_type, report_type, approvals_required, created_at, updated_at },
        users: users.flatMap(({ rule_id, user_id }) => (rule_id === id ? [{ user_id }] : [])),
      },
    ]),
  );
}

/** Approval rules of a project, with their protected branches. */
export const approvalRules = pagedRelation('approval_rules', async (exporting, after) => {
  const { db, portable } = exporting;
  const rows = await db
    .selectFrom('approval_rules')
    .selectAll()
    .where('project_id', '=', portable.id)
    .where('merge_request_id', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  const branches = await db
    .selectFrom('approval_rule_branches')
    .innerJoin('protected_refs', 'protected_refs.id', 'protected_ref_id')
    .select(['rule_id', 'protected_refs.name'])
    .where('rule_id', 'in', pluck(rows, 'id'))
    .orderBy('protected_refs.id')
    .execute();
  const objects = await approvalRuleObjects(exporting, rows);
  return rows.map(({ id, applies_to_all_protected_branches }) => {
    const { users, ...rule } = objects.get(id)!;
    return {
      key: id,
      object: {
        ...rule,
        applies_to_all_protected_branches: applies_to_all_protected_branches === 1,
        approval_project_rules_users: users,
        approval_project_rules_protected_branches: branches.flatMap(({ rule_id, name }) =>
          rule_id === id ? [{ branch_name: name }] : [],
        ),
      },
    };
  });
});
