import type { Id, Timestamp } from '../columns.ts';

/** Context commits of merge requests. */
export interface MergeRequestContextCommitsTable {
  id: Id;
  merge_request_id: number;
  sha: string;
  created_at: Timestamp;
}
