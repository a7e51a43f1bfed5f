import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { Approval } from './approvals.table.ts';
import type { IssuableColumns } from './tables.kinds.ts';

/** As the platform stores it (part 1, 4.4); answers show `checking` for the states between. */
export type MergeStatus =
  | 'unchecked'
  | 'preparing'
  | 'checking'
  | 'can_be_merged'
  | 'cannot_be_merged'
  | 'cannot_be_merged_recheck'
  | 'cannot_be_merged_rechecking';

/** What was asked of a merge that waits. */
export interface MergeParams {
  merge_commit_message?: string;
  squash_commit_message?: string;
  should_remove_source_branch?: boolean;
  squash?: boolean;
  sha?: string;
  /** It was merged by itself, when nothing stood in the way any more. */
  automatic?: true;
  /** While it is locked: the approvals that let it be merged. */
  approvals?: readonly Pick<Approval, 'user_id' | 'head_sha' | 'created_at'>[];
}

/** `project_id` is the target project. */
export interface MergeRequestsTable extends IssuableColumns {
  /** Null when the fork that it came from is gone. */
  source_project_id: number | null;
  /** `locked` while it is being merged. */
  state: Defaulted<'opened' | 'closed' | 'locked' | 'merged'>;
  source_branch: string;
  target_branch: string;
  /** Whether the title says so. */
  draft: Defaulted<Bit>;
  allow_collaboration: Defaulted<Bit>;
  squash: Defaulted<Bit>;
  remove_source_branch: Defaulted<Bit>;
  approvals_before_merge: number | null;
  /**
   * Head of the source branch, moved in the transaction that records the push. Approvals count for it, and only it is
   * ever merged.
   */
  head_sha: string | null;
  /** The version (`merge_request_diffs`) of `head_sha`, or an older one while the new one is being made. */
  latest_diff_id: number | null;
  merge_status: Defaulted<MergeStatus>;
  /** Set with a push, cleared when rules and version belong to the new head. */
  approvals_syncing: Defaulted<Bit>;
  merge_error: string | null;
  /** Merge when the pipeline succeeds, with `merge_params`. */
  auto_merge: Defaulted<Bit>;
  merge_params: DefaultedJson<MergeParams>;
  merge_after: Timestamp | null;
  merge_user_id: number | null;
  merged_at: Timestamp | null;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  locked_at: Timestamp | null;
  rebase_started_at: Timestamp | null;
  prepared_at: Timestamp | null;
}
export type MergeRequest = Selectable<MergeRequestsTable>;

export const mergeRequestsOwnership: Ownership<MergeRequestsTable> = {
  called: 'MergeRequest',
};
