/** Commits of a version, newest first; `position` counts from 0. */
export interface MergeRequestCommitsTable {
  merge_request_id: number;
  diff_id: number;
  position: number;
  sha: string;
  /** In lower case. */
  author_email: string;
  committer_email: string;
}
