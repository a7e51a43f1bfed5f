/** User agent and IP address of the request that created an issue, for administrators. */
export interface IssueUserAgentsTable {
  issue_id: number;
  user_agent: string;
  ip_address: string;
}
