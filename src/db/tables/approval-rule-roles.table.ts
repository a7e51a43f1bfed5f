/** Of code owners: direct members of the project at exactly this level. */
export interface ApprovalRuleRolesTable {
  rule_id: number;
  access_level: number;
}
