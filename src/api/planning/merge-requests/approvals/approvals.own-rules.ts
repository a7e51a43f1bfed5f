import { timestamp } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { recheckAutoMerges } from '../lifecycle/recheck-auto-merges.ts';
import { recordRule, recordRuleChanges } from './rule-audit.ts';
import { type StoredRule, setApprovers, withDetails } from './rule-store.ts';

interface NewOwn extends Pick<StoredRule, 'name' | 'approvals_required' | 'rule_type' | 'userIds' | 'groupIds'> {
  /** The project rule that it overrides. */
  source?: StoredRule;
}

/** Inserts a rule of a merge request. @param db handle of a transaction @returns its id */
export async function insertOwn(
  deps: Deps,
  db: Db,
  { id, project_id }: MergeRequest,
  { source, userIds, groupIds, ...columns }: NewOwn,
): Promise<number> {
  const now = timestamp(deps.clock);
  const row = await db
    .insertInto('approval_rules')
    .values({
      ...columns,
      project_id,
      merge_request_id: id,
      source_rule_id: source?.id ?? null,
      report_type: null,
      section: null,
      overridden: source === undefined ? 0 : 1,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await setApprovers(db, row.id, { userIds, groupIds });
  const [rule] = await withDetails(db, [row]);
  if (source === undefined) await recordRule(deps, db, 'created', rule!);
  else await recordRuleChanges(deps, db, { ...source, branchIds: [], applies_to_all_protected_branches: 0 }, rule!);
  await recheckAutoMerges(deps, db, project_id);
  return row.id;
}

export type OwnRuleChanges = Partial<Pick<StoredRule, 'name' | 'approvals_required' | 'userIds' | 'groupIds'>>;

/** Updates a rule of a merge request. @param db handle of a transaction */
export async function updateOwn(
  deps: Deps,
  db: Db,
  before: StoredRule,
  { userIds, groupIds, ...columns }: OwnRuleChanges,
): Promise<void> {
  const row = await db
    .updateTable('approval_rules')
    .set({ ...columns, updated_at: timestamp(deps.clock) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await setApprovers(db, row.id, { userIds, groupIds });
  await recordRuleChanges(deps, db, before, (await withDetails(db, [row]))[0]!);
  await recheckAutoMerges(deps, db, row.project_id);
}
