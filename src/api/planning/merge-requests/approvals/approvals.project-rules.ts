import type { Caller } from '../../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../../access/caller-in-project.ts';
import { timestamp } from '../../../../core/clock.ts';
import { invalidModel, invalidParameter, recordNotFound } from '../../../../core/core.errors.ts';
import { bit } from '../../../../db/columns.ts';
import { isUniqueViolation } from '../../../../db/db.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { lockRow } from '../../../../db/lock-row.ts';
import type { ApprovalRule, ApprovalRuleType } from '../../../../db/tables/approval-rules.table.ts';
import type { Deps } from '../../../../deps.ts';
import { recheckAutoMerges } from '../lifecycle/recheck-auto-merges.ts';
import type { CreateProjectRule, UpdateProjectRule } from './approvals.rule-inputs.ts';
import { requireChangeableRules } from './effective-settings.ts';
import { recordRule, recordRuleChanges } from './rule-audit.ts';
import { hasNoApprovers, namedGroups, namedUsers, refuseInvalid } from './rule-input.ts';
import { type StoredRule, setApprovers, withDetails } from './rule-store.ts';

/** Required names of report rules. */
const REPORT_NAMES: Readonly<Record<string, string>> = {
  code_coverage: 'Coverage-Check',
  license_scanning: 'License-Check',
};

/** Finds a rule of the project. @throws ApiError 404 */
export async function findProjectRule(db: Db, projectId: number, id: number): Promise<StoredRule> {
  const row = await db
    .selectFrom('approval_rules')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('merge_request_id', 'is', null)
    .executeTakeFirstOrThrow(recordNotFound);
  return (await withDetails(db, [row]))[0]!;
}

/** Type of a new rule: as given, else `any_approver` if it names nobody. */
const typeOf = (input: CreateProjectRule): ApprovalRuleType =>
  input.rule_type ?? (hasNoApprovers(input) ? 'any_approver' : 'regular');

/** @throws ApiError 400 */
function refuseWrongName({ rule_type, report_type, name }: Pick<ApprovalRule, 'rule_type' | 'report_type' | 'name'>) {
  if (rule_type !== 'report_approver' || report_type === null) return;
  const requiredName = REPORT_NAMES[report_type];
  if (requiredName === undefined || name === requiredName) return;
  throw invalidModel({ report_type: [`${report_type} only supports ${requiredName} name`] });
}

/**
 * Creates a rule of a project.
 * @throws ApiError 400 with the errors by field
 */
export async function createProjectRule(
  deps: Deps,
  caller: Caller,
  projectId: number,
  input: CreateProjectRule,
): Promise<StoredRule> {
  const rule_type = typeOf(input);
  if (rule_type === 'report_approver' && input.report_type === undefined)
    throw invalidParameter('report_type is missing');
  const report_type = rule_type === 'report_approver' ? (input.report_type ?? null) : null;
  refuseInvalid(input);
  refuseWrongName({ rule_type, report_type, name: input.name });
  const userIds = rule_type === 'any_approver' ? [] : ((await namedUsers(deps, projectId, input)) ?? []);
  const groupIds = rule_type === 'any_approver' ? [] : ((await namedGroups(deps, caller, input)) ?? []);
  const now = timestamp(deps.clock);
  return orTaken(rule_type, () =>
    deps.db.transaction().execute(async (db) => {
      await revalidateProjectAbility(deps, db, caller, projectId, 'admin_approval_rules');
      requireChangeableRules(deps, caller);
      const row = await db
        .insertInto('approval_rules')
        .values({
          project_id: projectId,
          merge_request_id: null,
          source_rule_id: null,
          name: input.name.trim(),
          rule_type,
          report_type,
          section: null,
          approvals_required: input.approvals_required,
          applies_to_all_protected_branches: bit(input.applies_to_all_protected_branches ?? false),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await setApprovers(db, row.id, { userIds, groupIds });
      await setBranches(db, row, input.protected_branch_ids ?? []);
      const rule = (await withDetails(db, [row]))[0]!;
      await recordRule(deps, db, 'created', rule);
      return rule;
    }),
  );
}

/** Turns a unique violation into the error of the platform. */
async function orTaken<T>(ruleType: ApprovalRuleType, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw ruleType === 'any_approver'
      ? invalidModel({ rule_type: ['any-approver for the project already exists'] })
      : invalidModel({ name: ['has already been taken'] });
  }
}

async function setBranches(db: Db, rule: Pick<ApprovalRule, 'id' | 'project_id'>, ids: readonly number[]) {
  await db.deleteFrom('approval_rule_branches').where('rule_id', '=', rule.id).execute();
  if (ids.length === 0) return;
  const rows = await db
    .selectFrom('protected_refs')
    .select('id')
    .where('project_id', '=', rule.project_id)
    .where('kind', '=', 'branch')
    .where('id', 'in', ids)
    .execute();
  if (rows.length === 0) return;
  const values = rows.map(({ id }) => ({ rule_id: rule.id, protected_ref_id: id }));
  await db.insertInto('approval_rule_branches').values(values).execute();
}

/**
 * Changes a rule of a project; given lists replace existing ones.
 * @throws ApiError 400, 404
 */
export async function updateProjectRule(
  deps: Deps,
  caller: Caller,
  rule: StoredRule,
  input: UpdateProjectRule,
): Promise<StoredRule> {
  refuseInvalid(input);
  const name = input.name?.trim() ?? rule.name;
  refuseWrongName({ ...rule, name });
  const everybody = rule.rule_type === 'any_approver';
  const userIds = everybody ? undefined : await namedUsers(deps, rule.project_id, input);
  const groupIds = everybody ? undefined : await namedGroups(deps, caller, input, rule);
  return orTaken(rule.rule_type, () =>
    deps.db.transaction().execute(async (db) => {
      await revalidateProjectAbility(deps, db, caller, rule.project_id, 'admin_approval_rules');
      requireChangeableRules(deps, caller);
      await lockRow(db, 'approval_rules', rule.id);
      const before = await findProjectRule(db, rule.project_id, rule.id);
      const row = await db
        .updateTable('approval_rules')
        .set({
          name,
          ...(input.approvals_required === undefined ? {} : { approvals_required: input.approvals_required }),
          ...(input.applies_to_all_protected_branches === undefined
            ? {}
            : { applies_to_all_protected_branches: bit(input.applies_to_all_protected_branches) }),
          updated_at: timestamp(deps.clock),
        })
        .where('id', '=', rule.id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw recordNotFound();
      await setApprovers(db, rule.id, { userIds, groupIds });
      if (input.protected_branch_ids !== undefined) await setBranches(db, row, input.protected_branch_ids);
      const after = (await withDetails(db, [row]))[0]!;
      await recordRuleChanges(deps, db, before, after);
      await recheckAutoMerges(deps, db, rule.project_id);
      return after;
    }),
  );
}

/** Deletes a rule, with its overrides in open merge requests. */
export async function deleteProjectRule(deps: Deps, caller: Caller, rule: StoredRule): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await revalidateProjectAbility(deps, db, caller, rule.project_id, 'admin_approval_rules');
    requireChangeableRules(deps, caller);
    await db
      .deleteFrom('approval_rules')
      .where('source_rule_id', '=', rule.id)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('merge_requests')
            .select('merge_requests.id')
            .whereRef('merge_requests.id', '=', 'approval_rules.merge_request_id')
            .where('merge_requests.state', '!=', 'merged'),
        ),
      )
      .execute();
    const { numDeletedRows } = await db.deleteFrom('approval_rules').where('id', '=', rule.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordRule(deps, db, 'deleted', rule);
    await recheckAutoMerges(deps, db, rule.project_id);
  });
}
