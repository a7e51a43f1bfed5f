import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

export const PUSH_RULE_PATTERNS = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const;

export const PUSH_RULE_FLAGS = [
  'deny_delete_tag',
  'member_check',
  'prevent_secrets',
  'commit_committer_check',
  'commit_committer_name_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
] as const;

/** Push rules of a project, or of all projects below a group without rules of their own. */
export interface PushRulesTable {
  id: Id;
  /** Null for groups. */
  project_id: number | null;
  /** The group; null for projects. */
  namespace_id: number | null;
  /** RE2 patterns; empty for none. */
  commit_message_regex: Defaulted<string>;
  commit_message_negative_regex: Defaulted<string>;
  branch_name_regex: Defaulted<string>;
  author_email_regex: Defaulted<string>;
  file_name_regex: Defaulted<string>;
  /** Maximum file size in MiB; 0 for any. */
  max_file_size: Defaulted<number>;
  deny_delete_tag: Defaulted<Bit>;
  member_check: Defaulted<Bit>;
  prevent_secrets: Defaulted<Bit>;
  commit_committer_check: Defaulted<Bit>;
  commit_committer_name_check: Defaulted<Bit>;
  reject_unsigned_commits: Defaulted<Bit>;
  reject_non_dco_commits: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type PushRule = Selectable<PushRulesTable>;
