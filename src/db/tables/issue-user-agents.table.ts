/** Of the request that made an issue, for administrators. */
export interface IssueUserAgentsTable {
  issue_id: number;
  user_agent: string;
  ip_address: string;
}
