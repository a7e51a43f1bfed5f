import { changesOf, type WatchedAttributes } from '../../../../audit/changes.audit.ts';
import { type AuditEntry, project, recordAudit } from '../../../../audit/record.audit.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { Deps } from '../../../../deps.ts';
import type { StoredRule } from './rule-store.ts';

const WATCHED: WatchedAttributes<StoredRule> = {
  name: { name: 'update_approval_rules', as: 'name' },
  approvals_required: { name: 'update_approval_rules', as: 'number of required approvals' },
  userIds: { name: 'update_approval_rules', as: 'approvers' },
  groupIds: { name: 'update_approval_rules', as: 'groups of approvers' },
  branchIds: { name: 'update_approval_rules', as: 'protected branches' },
  applies_to_all_protected_branches: {
    name: 'update_approval_rules',
    as: 'applies to all protected branches',
    flag: true,
  },
};

/** Audit entry of a rule; the entity is the project, also for rules of merge requests. */
const entryOf = (
  { id, name, project_id, merge_request_id }: StoredRule,
  entry: Pick<AuditEntry, 'name' | 'message' | 'more'>,
): AuditEntry => ({
  ...entry,
  entity: project(project_id),
  target: { id, type: merge_request_id === null ? 'ApprovalProjectRule' : 'ApprovalMergeRequestRule', details: name },
  more: { ...entry.more, ...(merge_request_id === null ? {} : { merge_request_id }) },
});

/** Records the creation or deletion of a rule. @param db handle of a transaction */
export function recordRule(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  happened: 'created' | 'deleted',
  rule: StoredRule,
): Promise<void> {
  const message = happened === 'created' ? 'Added approval rule' : 'Deleted approval rule';
  const more: AuditEntry['more'] = happened === 'created' ? { approvals_required: rule.approvals_required } : {};
  return recordAudit(deps, db, entryOf(rule, { name: `approval_rule_${happened}`, message, more }));
}

/**
 * Records the changes of a rule, with the handle of a transaction.
 * @param before the old rule; for an override, the project rule
 */
export const recordRuleChanges = (
  deps: Pick<Deps, 'clock'>,
  db: Db,
  before: StoredRule,
  after: StoredRule,
): Promise<void> =>
  recordAudit(
    deps,
    db,
    changesOf(before, after, WATCHED).map((entry) => entryOf(after, entry)),
  );
