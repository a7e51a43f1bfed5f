/** Issues that are closed by the merge. */
export interface MergeRequestsClosingIssuesTable {
  merge_request_id: number;
  issue_id: number;
}
