/** Issues that are closed with the merge. */
export interface MergeRequestsClosingIssuesTable {
  merge_request_id: number;
  issue_id: number;
}
