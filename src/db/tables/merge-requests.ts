import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';
import type { IssuableColumns } from './issues.ts';

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

/** A version of a merge request: what one push made of it. */
export interface MergeRequestDiffsTable {
  id: Id;
  merge_request_id: number;
  head_commit_sha: string;
  /** The merge base. */
  base_commit_sha: string;
  /** Head of the target branch at that time. */
  start_commit_sha: string;
  state: 'collected' | 'overflow' | 'without_files' | 'empty';
  /** Number of files as text, with a `+` where there are more. */
  real_size: string;
  commits_count: number;
  patch_id_sha: string | null;
  created_at: Timestamp;
}
export type MergeRequestDiff = Selectable<MergeRequestDiffsTable>;

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

export interface MergeRequestReviewersTable {
  merge_request_id: number;
  user_id: number;
  state: Defaulted<'unreviewed' | 'reviewed' | 'requested_changes' | 'approved' | 'unapproved' | 'review_started'>;
  created_at: Timestamp;
}

/** Issues that are closed with the merge. */
export interface MergeRequestsClosingIssuesTable {
  merge_request_id: number;
  issue_id: number;
}

export type ApprovalRuleType = 'regular' | 'any_approver' | 'report_approver' | 'code_owner';

/** Rules of projects (`merge_request_id` null) and of single merge requests. */
export interface ApprovalRulesTable {
  id: Id;
  project_id: number;
  merge_request_id: number | null;
  /** Of a merge request's rule: the project's rule it stands for. */
  source_rule_id: number | null;
  name: string;
  rule_type: Defaulted<ApprovalRuleType>;
  report_type: string | null;
  approvals_required: number;
  /** Of code owners: the section of CODEOWNERS. */
  section: string | null;
  /** Of code owners: nobody has to approve. */
  optional: Defaulted<Bit>;
  /** Whether the merge request has values of its own instead of the source rule's. */
  overridden: Defaulted<Bit>;
  applies_to_all_protected_branches: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ApprovalRule = Selectable<ApprovalRulesTable>;

export interface ApprovalRuleUsersTable {
  rule_id: number;
  user_id: number;
}
export interface ApprovalRuleGroupsTable {
  rule_id: number;
  group_id: number;
}
/** Of code owners: direct members of the project at exactly this level. */
export interface ApprovalRuleRolesTable {
  rule_id: number;
  access_level: number;
}
export interface ApprovalRuleBranchesTable {
  rule_id: number;
  protected_ref_id: number;
}

export interface ApprovalsTable {
  id: Id;
  merge_request_id: number;
  user_id: number;
  /** Head of the merge request when it was approved. */
  head_sha: string;
  created_at: Timestamp;
}
export type Approval = Selectable<ApprovalsTable>;
