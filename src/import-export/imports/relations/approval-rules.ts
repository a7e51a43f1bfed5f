import type { Db } from '../../../db/schema.ts';
import type { ApprovalRuleType } from '../../../db/tables/approval-rules.ts';
import type { Importing, Writer } from '../importing.ts';
import { filled, flag, type Given, integer, objects, text, Unfit } from '../take.ts';
import { dates, inParts } from './rows.ts';

/** Approvals that a rule can ask for. */
const MAX_REQUIRED = 100;
const TYPES: readonly ApprovalRuleType[] = ['regular', 'any_approver', 'report_approver'];
const REPORTS: readonly string[] = ['license_scanning', 'code_coverage'];

/** What a rule says, whosever it is. @throws Unfit */
function columnsOf(importing: Importing, given: Given) {
  const rule_type = TYPES.find((type) => type === given.rule_type);
  const report_type = rule_type === 'report_approver' ? text(given.report_type, 50) : null;
  const known = rule_type !== 'report_approver' || REPORTS.includes(report_type ?? '');
  if (rule_type === undefined || !known) throw new Unfit('a rule is of a type that is not known here');
  return {
    project_id: importing.place.id,
    name: filled(given.name, 'the name of a rule'),
    rule_type,
    report_type,
    approvals_required: integer(given.approvals_required, 0, MAX_REQUIRED) ?? 0,
    section: null,
    ...dates(importing, given),
  };
}

async function writeApprovers({ people }: Importing, db: Db, rule_id: number, users: unknown): Promise<void> {
  const ids = new Set(objects(users).map(({ user_id }) => people.of(user_id)));
  await inParts(
    [...ids].map((user_id) => ({ rule_id, user_id })),
    (part) => db.insertInto('approval_rule_users').values(part).execute(),
  );
}

/** Rules of the project, with placeholders for those who may approve; a rule of a name that is there stays. */
export const approvalRuleWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const branches = (each: Given) =>
      objects(each.approval_project_rules_protected_branches).flatMap(
        ({ branch_name }) => text(branch_name, 255) ?? [],
      );
    const protectedRefs = await db
      .selectFrom('protected_refs')
      .select(['id', 'name'])
      .where('project_id', '=', importing.place.id)
      .where('kind', '=', 'branch')
      .where('name', 'in', [...new Set(given.flatMap(branches))])
      .execute();
    for (const each of given) {
      const row = await db
        .insertInto('approval_rules')
        .values({
          ...columnsOf(importing, each),
          merge_request_id: null,
          source_rule_id: null,
          applies_to_all_protected_branches: flag(each.applies_to_all_protected_branches),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      if (row === undefined) continue;
      await writeApprovers(importing, db, row.id, each.approval_project_rules_users);
      const names = new Set(branches(each));
      const joins = protectedRefs.filter(({ name }) => names.has(name)).map(({ id }) => id);
      await inParts(
        joins.map((protected_ref_id) => ({ rule_id: row.id, protected_ref_id })),
        (part) => db.insertInto('approval_rule_branches').values(part).execute(),
      );
    }
  },
};

/** Rules that merge requests have of their own. @param written the rows that merge requests have become */
export async function writeOwnRules(
  importing: Importing,
  db: Db,
  written: readonly { id: number; given: Given }[],
): Promise<void> {
  const all = written.flatMap(({ id, given }) => objects(given.approval_rules).map((rule) => ({ id, rule })));
  if (all.length === 0) return;
  const sources = await db
    .selectFrom('approval_rules')
    .select(['id', 'name', 'rule_type'])
    .where('project_id', '=', importing.place.id)
    .where('merge_request_id', 'is', null)
    .execute();
  for (const { id: merge_request_id, rule } of all) {
    const columns = columnsOf(importing, rule);
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
    await writeApprovers(importing, db, id, rule.users);
  }
}
