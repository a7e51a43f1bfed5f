import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { Approval } from './approvals.table.ts';
import type { IssuableColumns } from './tables.kinds.ts';

/** The platform's stored status (part 1, 4.4); answers show `checking` for intermediate ones. */
export type MergeStatus =
  | 'unchecked'
  | 'preparing'
  | 'checking'
  | 'can_be_merged'
  | 'cannot_be_merged'
  | 'cannot_be_merged_recheck'
  | 'cannot_be_merged_rechecking';

/** Parameters of a scheduled merge. */
export interface MergeParams {
  merge_commit_message?: string;
  squash_commit_message?: string;
  should_remove_source_branch?: boolean;
  squash?: boolean;
  sha?: string;
  /** Whether it was merged automatically. */
  automatic?: true;
  /** While locked: the approvals that allow the merge. */
  approvals?: readonly Pick<Approval, 'user_id' | 'head_sha' | 'created_at'>[];
}

/** `project_id` is the target project. */
export interface MergeRequestsTable extends IssuableColumns {
  /** Null if the source fork was removed. */
  source_project_id: number | null;
  /** `locked` during the merge. */
  state: Defaulted<'opened' | 'closed' | 'locked' | 'merged'>;
  source_branch: string;
  target_branch: string;
  /** Whether the title marks it as a draft. */
  draft: Defaulted<Bit>;
  allow_collaboration: Defaulted<Bit>;
  squash: Defaulted<Bit>;
  remove_source_branch: Defaulted<Bit>;
  approvals_before_merge: number | null;
  /**
   * Head of the source branch, updated in the transaction that records the push. Approvals apply to it, and only it is
   * ever merged.
   */
  head_sha: string | null;
  /** The version (`merge_request_diffs`) of `head_sha`, or an older one until the new one is created. */
  latest_diff_id: number | null;
  merge_status: Defaulted<MergeStatus>;
  /** Set by a push; cleared when rules and version match the new head. */
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
