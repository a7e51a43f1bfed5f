import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

const text = () => Type.Optional(Nullable(Type.String()));
const flag = () => Type.Optional(Nullable(Type.Boolean()));

/** Attributes of a push rule. On update, absent attributes are kept; null removes a rule. */
export const PushRuleInput = Type.Object({
  deny_delete_tag: flag(),
  member_check: flag(),
  prevent_secrets: flag(),
  commit_message_regex: text(),
  commit_message_negative_regex: text(),
  branch_name_regex: text(),
  author_email_regex: text(),
  file_name_regex: text(),
  max_file_size: Type.Optional(Nullable(Type.Integer())),
  commit_committer_check: flag(),
  commit_committer_name_check: flag(),
  reject_unsigned_commits: flag(),
  reject_non_dco_commits: flag(),
});
export type PushRuleInput = Static<typeof PushRuleInput>;

/** At least one of these is required. */
export const NAMES = Object.keys(PushRuleInput.properties) as (keyof PushRuleInput)[];
