import type { Db } from '../../../db/db.schema.ts';
import type { ApprovalRuleType } from '../../../db/tables/approval-rules.table.ts';
import {
  coerceFlag,
  coerceInteger,
  coerceObjects,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  requireText,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { dates, insertInBatches } from './rows.ts';

/** Maximum number of required approvals. */
const MAX_REQUIRED = 100;
const TYPES: readonly ApprovalRuleType[] = ['regular', 'any_approver', 'report_approver'];
const REPORTS: readonly string[] = ['license_scanning', 'code_coverage'];

/** Columns of a rule of a project or merge request. @throws InvalidImportObject */
function columnsOf(context: ImportContext, object: ImportedObject) {
  const rule_type = TYPES.find((type) => type === object.rule_type);
  const report_type = rule_type === 'report_approver' ? coerceText(object.report_type, 50) : null;
  const known = rule_type !== 'report_approver' || REPORTS.includes(report_type ?? '');
  if (rule_type === undefined || !known) throw new InvalidImportObject('the type of a rule is unknown');
  return {
    project_id: context.place.id,
    name: requireText(object.name, 'the name of a rule'),
    rule_type,
    report_type,
    approvals_required: coerceInteger(object.approvals_required, 0, MAX_REQUIRED) ?? 0,
    section: null,
    ...dates(context, object),
  };
}

async function writeApprovers(
  { users: people }: ImportContext,
  db: Db,
  rule_id: number,
  users: unknown,
): Promise<void> {
  const ids = new Set(coerceObjects(users).map(({ user_id }) => people.of(user_id)));
  await insertInBatches(
    [...ids].map((user_id) => ({ rule_id, user_id })),
    (part) => db.insertInto('approval_rule_users').values(part).execute(),
  );
}

/** Imports rules of a project, with placeholders as approvers; existing rules with the same name stay. */
export const approvalRuleWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const branches = (each: ImportedObject) =>
      coerceObjects(each.approval_project_rules_protected_branches).flatMap(
        ({ branch_name }) => coerceText(branch_name, 255) ?? [],
      );
    const protectedRefs = await db
      .selectFrom('protected_refs')
      .select(['id', 'name'])
      .where('project_id', '=', context.place.id)
      .where('kind', '=', 'branch')
      .where('name', 'in', [...new Set(object.flatMap(branches))])
      .execute();
    for (const each of object) {
      const row = await db
        .insertInto('approval_rules')
        .values({
          ...columnsOf(context, each),
          merge_request_id: null,
          source_rule_id: null,
          applies_to_all_protected_branches: coerceFlag(each.applies_to_all_protected_branches),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      if (row === undefined) continue;
      await writeApprovers(context, db, row.id, each.approval_project_rules_users);
      const names = new Set(branches(each));
      const joins = protectedRefs.filter(({ name }) => names.has(name)).map(({ id }) => id);
      await insertInBatches(
        joins.map((protected_ref_id) => ({ rule_id: row.id, protected_ref_id })),
        (part) => db.insertInto('approval_rule_branches').values(part).execute(),
      );
    }
  },
};

/** Imports rules of merge requests. @param written rows of the imported merge requests */
export async function writeOwnRules(
  context: ImportContext,
  db: Db,
  written: readonly { id: number; object: ImportedObject }[],
): Promise<void> {
  const all = written.flatMap(({ id, object }) => coerceObjects(object.approval_rules).map((rule) => ({ id, rule })));
  if (all.length === 0) return;
  const sources = await db
    .selectFrom('approval_rules')
    .select(['id', 'name', 'rule_type'])
    .where('project_id', '=', context.place.id)
    .where('merge_request_id', 'is', null)
    .execute();
  for (const { id: merge_request_id, rule } of all) {
    const columns = columnsOf(context, rule);
    const source = sources.find(
      ({ name, rule_type }) => name === rule.source_rule_name && rule_type === columns.rule_type,
    );
    const { id } = await db
      .insertInto('approval_rules')
      .values({
        ...columns,
        merge_request_id,
        source_rule_id: source?.id ?? null,
        overridden: source === undefined ? 0 : 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await writeApprovers(context, db, id, rule.users);
  }
}
