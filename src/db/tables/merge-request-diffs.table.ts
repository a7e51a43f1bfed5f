import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Versions of merge requests, one for each push. */
export interface MergeRequestDiffsTable {
  id: Id;
  merge_request_id: number;
  head_commit_sha: string;
  /** The merge base. */
  base_commit_sha: string;
  /** Head of the target branch at that time. */
  start_commit_sha: string;
  state: 'collected' | 'overflow' | 'without_files' | 'empty';
  /** Number of files as text, with a `+` if there are more. */
  real_size: string;
  commits_count: number;
  patch_id_sha: string | null;
  created_at: Timestamp;
}
export type MergeRequestDiff = Selectable<MergeRequestDiffsTable>;
