import type { Id, Timestamp } from '../columns.ts';

/** Commits that belong to no merge request of their own but are looked at with this one. */
export interface MergeRequestContextCommitsTable {
  id: Id;
  merge_request_id: number;
  sha: string;
  created_at: Timestamp;
}
