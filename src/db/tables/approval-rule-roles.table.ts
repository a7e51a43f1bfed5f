/** Approvers by role, for code owner rules: direct members of the project at exactly this level. */
export interface ApprovalRuleRolesTable {
  rule_id: number;
  access_level: number;
}
