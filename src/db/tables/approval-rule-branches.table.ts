export interface ApprovalRuleBranchesTable {
  rule_id: number;
  protected_ref_id: number;
}
