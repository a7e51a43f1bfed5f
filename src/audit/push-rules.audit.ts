import type { Db } from '../db/db.schema.ts';
import type { PushRule } from '../db/tables/push-rules.table.ts';
import type { Deps } from '../deps.ts';
import { changesOf, type WatchedAttributes } from './changes.audit.ts';
import type { AuditEventName } from './names.audit.ts';
import { type AuditEntry, auditEntity, recordAudit } from './record.audit.ts';

const watch = (key: string, as: string, flag = true) => ({
  name: `push_rules_${key}_updated` as AuditEventName,
  as,
  ...(flag ? { flag } : {}),
});

const WATCHED: WatchedAttributes<PushRule> = {
  commit_message_regex: watch('commit_message_regex', 'required pattern of commit messages', false),
  commit_message_negative_regex: watch('commit_message_negative_regex', 'rejected pattern of commit messages', false),
  branch_name_regex: watch('branch_name_regex', 'required pattern of branch names', false),
  author_email_regex: watch('author_email_regex', 'required pattern of email addresses', false),
  file_name_regex: watch('file_name_regex', 'prohibited pattern of file names', false),
  max_file_size: watch('max_file_size', 'maximum file size (MiB)', false),
  deny_delete_tag: watch('deny_delete_tag', 'deny deleting a tag'),
  member_check: watch('member_check', 'check whether the commit author is a user'),
  prevent_secrets: watch('prevent_secrets', 'prevent pushing secret files'),
  commit_committer_check: watch('commit_committer_check', 'reject unverified users'),
  commit_committer_name_check: watch('commit_committer_name_check', 'reject inconsistent user names'),
  reject_unsigned_commits: watch('reject_unsigned_commits', 'reject unsigned commits'),
  reject_non_dco_commits: watch('reject_non_dco_commits', 'reject commits without a sign-off'),
};

/**
 * Records, in the transaction, that a push rule was created, changed or removed.
 * @param before earlier state, or an empty rule for a new one; null for a removal
 */
export async function recordPushRule(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  happened: 'created' | 'changed' | 'deleted',
  rule: PushRule,
  before: Partial<PushRule> = {},
): Promise<void> {
  const entity =
    rule.project_id === null ? auditEntity('group', rule.namespace_id!) : auditEntity('project', rule.project_id);
  const about = { entity, target: { id: rule.id, type: 'PushRule', details: 'Push rules' } };
  const changes = happened === 'deleted' ? [] : changesOf<PushRule>({ ...rule, ...before }, rule, WATCHED);
  const entries: AuditEntry[] = changes.map((entry) => ({ ...entry, ...about }));
  if (happened !== 'changed') {
    const message = happened === 'created' ? 'Added push rules' : 'Removed push rules';
    entries.unshift({ name: `push_rule_${happened}`, message, ...about });
  }
  await recordAudit(deps, db, entries);
}
