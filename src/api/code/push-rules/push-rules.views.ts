import type { Static } from 'typebox';
import type { PushRule } from '../../../db/tables/push-rules.table.ts';
import type { GroupPushRule, ProjectPushRule } from './push-rules.responses.ts';

/** Renders the push rule of a group. */
export const presentGroupRule = (rule: PushRule): Static<typeof GroupPushRule> => ({
  id: rule.id,
  created_at: rule.created_at,
  commit_message_regex: rule.commit_message_regex,
  commit_message_negative_regex: rule.commit_message_negative_regex,
  branch_name_regex: rule.branch_name_regex,
  deny_delete_tag: rule.deny_delete_tag === 1,
  member_check: rule.member_check === 1,
  prevent_secrets: rule.prevent_secrets === 1,
  author_email_regex: rule.author_email_regex,
  file_name_regex: rule.file_name_regex,
  max_file_size: rule.max_file_size,
  commit_committer_check: rule.commit_committer_check === 1,
  commit_committer_name_check: rule.commit_committer_name_check === 1,
  reject_unsigned_commits: rule.reject_unsigned_commits === 1,
  reject_non_dco_commits: rule.reject_non_dco_commits === 1,
});

/** Renders the effective push rule of a project: its own or an inherited one. */
export function presentProjectRule(rule: PushRule, projectId: number): Static<typeof ProjectPushRule> {
  return { ...presentGroupRule(rule), project_id: projectId };
}
