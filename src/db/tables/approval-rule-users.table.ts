export interface ApprovalRuleUsersTable {
  rule_id: number;
  user_id: number;
}
