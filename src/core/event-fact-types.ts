/** Recorded state of a project. */
export interface ProjectFacts {
  name: string;
  path: string;
  full_path: string;
  namespace_id: number;
  visibility: string;
  description: string | null;
  creator_id: number | null;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a user. */
export interface UserFacts {
  username: string;
  name: string;
  email: string;
  state: string;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a membership. */
export interface MemberFacts {
  access_level: number;
  expires_at: string | null;
  created_at: string;
  updated_at: string | null;
}

/** Recorded state of a project or group token. */
export interface ResourceTokenFacts {
  user_id: number | null;
  name: string;
  expires_at: string;
  created_at: string;
  last_used_at: string | null;
}

/** Recorded state of a group. */
export interface GroupFacts {
  name: string;
  path: string;
  full_path: string;
  parent_id: number | null;
  visibility: string;
  created_at: string;
  updated_at: string;
}

/** Recorded state common to issues and merge requests. */
interface IssuableFacts {
  iid: number;
  title: string;
  description: string | null;
  state: string;
  author_id: number;
  milestone_id: number | null;
  discussion_locked: 0 | 1 | null;
  time_estimate: number;
  time_spent: number;
  updated_by_id: number | null;
  created_at: string;
  updated_at: string;
}

/** Recorded state of an issue. */
export interface IssueFacts extends IssuableFacts {
  issue_type: string;
  confidential: 0 | 1;
  weight: number | null;
  due_date: string | null;
  severity: string;
  health_status: string | null;
  relative_position: number | null;
  moved_to_id: number | null;
  duplicated_to_id: number | null;
  closed_at: string | null;
}

/** Recorded state of a merge request. */
export interface MergeRequestFacts extends IssuableFacts {
  source_project_id: number | null;
  source_branch: string;
  target_branch: string;
  draft: 0 | 1;
  head_sha: string | null;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  merge_status: string;
  merge_error: string | null;
  auto_merge: 0 | 1;
  merge_params: string;
  remove_source_branch: 0 | 1;
  merge_user_id: number | null;
  prepared_at: string | null;
}

/** Recorded state of a label. */
export interface LabelFacts {
  id: number;
  name: string;
  color: string;
  description: string | null;
  project_id: number | null;
  group_id: number | null;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a reaction. */
export interface AwardFacts {
  name: string;
  user_id: number;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a note. */
export interface NoteFacts {
  note: string;
  author_id: number;
  system: 0 | 1;
  internal: 0 | 1;
  noteable_id: number | null;
  commit_id: string | null;
  type: string | null;
  discussion_id: string;
  position: string | null;
  resolved_at: string | null;
  resolved_by_id: number | null;
  updated_by_id: number | null;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a milestone. */
export interface MilestoneFacts {
  iid: number;
  title: string;
  description: string;
  state: string;
  start_date: string | null;
  due_date: string | null;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a snippet. */
export interface SnippetFacts {
  title: string;
  description: string | null;
  visibility: string;
  author_id: number;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a wiki page. */
export interface WikiPageFacts {
  title: string;
  slug: string;
  /** Path of its file in the commit. */
  path: string;
  format: string;
  /** Message and id of the commit that changed it; null for the parent of the first commit. */
  message: string;
  sha: string | null;
  previous_sha: string | null;
}

/** Recorded state of a release. */
export interface ReleaseFacts {
  tag: string;
  name: string | null;
  description: string | null;
  sha: string | null;
  author_id: number | null;
  released_at: string;
  created_at: string;
  updated_at: string;
}

/** Recorded state of a feature flag. */
export interface FeatureFlagFacts {
  name: string;
  description: string | null;
  active: 0 | 1;
}

/** Recorded state of a commit status. */
export interface CommitStatusFacts {
  name: string;
  ref: string;
  sha: string;
  status: string;
  allow_failure: 0 | 1;
}
