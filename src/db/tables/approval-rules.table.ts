import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export type ApprovalRuleType = 'regular' | 'any_approver' | 'report_approver' | 'code_owner';

/** Approval rules of projects (`merge_request_id` null) and of single merge requests. */
export interface ApprovalRulesTable {
  id: Id;
  project_id: number;
  merge_request_id: number | null;
  /** For merge request rules: the project rule they derive from. */
  source_rule_id: number | null;
  name: string;
  rule_type: Defaulted<ApprovalRuleType>;
  report_type: string | null;
  approvals_required: number;
  /** For code owner rules: the section of CODEOWNERS. */
  section: string | null;
  /** For code owner rules: whether approval is optional. */
  optional: Defaulted<Bit>;
  /** Whether the merge request overrides the values of the source rule. */
  overridden: Defaulted<Bit>;
  applies_to_all_protected_branches: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ApprovalRule = Selectable<ApprovalRulesTable>;

export const approvalRulesOwnership: Ownership<ApprovalRulesTable> = { plain: ['rule_type', 'report_type'] };
