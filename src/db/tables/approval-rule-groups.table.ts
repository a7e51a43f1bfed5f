export interface ApprovalRuleGroupsTable {
  rule_id: number;
  group_id: number;
}
