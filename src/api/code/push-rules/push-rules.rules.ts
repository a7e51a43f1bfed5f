import { type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import type { PushRule } from '../../../db/tables/push-rules.table.ts';
import { patternError } from '../../../repositories/push-rules/push-rules.pattern.ts';
import { NAMES, type PushRuleInput } from './push-rules.inputs.ts';

/** Columns with the rules. */
export type RuleColumns = Pick<PushRule, (typeof NAMES)[number]>;

/** A push rule without any rules. */
export const NO_RULES: RuleColumns = {
  deny_delete_tag: 0,
  member_check: 0,
  prevent_secrets: 0,
  commit_message_regex: '',
  commit_message_negative_regex: '',
  branch_name_regex: '',
  author_email_regex: '',
  file_name_regex: '',
  max_file_size: 0,
  commit_committer_check: 0,
  commit_committer_name_check: 0,
  reject_unsigned_commits: 0,
  reject_non_dco_commits: 0,
};

/** Above any possible push, in MiB. */
const MAX_SIZE = 1_000_000;

function errorOf(value: string | number | boolean): string | null {
  if (typeof value === 'string') return patternError(value);
  if (typeof value === 'boolean') return null;
  if (value < 0) return 'must be greater than or equal to 0';
  return value > MAX_SIZE ? `must be less than or equal to ${MAX_SIZE}` : null;
}

/** Converts the given attributes to columns. @throws ApiError 400 for invalid patterns and sizes */
export function ruleColumns(input: PushRuleInput): Partial<RuleColumns> {
  const errors: FieldErrors = {};
  const columns: Record<string, string | number> = {};
  for (const name of NAMES) {
    const value = input[name];
    if (value === undefined) continue;
    const error = value === null ? null : errorOf(value);
    if (error !== null) errors[name] = [error];
    columns[name] = typeof value === 'boolean' ? bit(value) : (value ?? NO_RULES[name]);
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  return columns as Partial<RuleColumns>;
}
