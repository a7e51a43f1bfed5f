/** What a project was when something happened to it. */
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

/** What a user was. */
export interface UserFacts {
  username: string;
  name: string;
  email: string;
  state: string;
  created_at: string;
  updated_at: string;
}

/** What a membership was. */
export interface MemberFacts {
  access_level: number;
  expires_at: string | null;
  created_at: string;
  updated_at: string | null;
}

/** What a token for a project or group was. */
export interface ResourceTokenFacts {
  user_id: number | null;
  name: string;
  expires_at: string;
  created_at: string;
  last_used_at: string | null;
}

/** What a group was. */
export interface GroupFacts {
  name: string;
  path: string;
  full_path: string;
  parent_id: number | null;
  visibility: string;
  created_at: string;
  updated_at: string;
}

/** What issues and merge requests were alike. */
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

/** What an issue was. */
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

/** What a merge request was. */
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

/** What a label was. */
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

/** What a reaction was. */
export interface AwardFacts {
  name: string;
  user_id: number;
  created_at: string;
  updated_at: string;
}

/** What a note was. */
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

/** What a milestone was. */
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

/** What a snippet was. */
export interface SnippetFacts {
  title: string;
  description: string | null;
  visibility: string;
  author_id: number;
  created_at: string;
  updated_at: string;
}

/** What a page of a wiki was. */
export interface WikiPageFacts {
  title: string;
  slug: string;
  /** Of its file, in the commit. */
  path: string;
  format: string;
  /** Message and id of the commit that changed it; the commit before it, null where there was none. */
  message: string;
  sha: string | null;
  previous_sha: string | null;
}

/** What a release was. */
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

/** What a feature flag was. */
export interface FeatureFlagFacts {
  name: string;
  description: string | null;
  active: 0 | 1;
}

/** What a commit status was. */
export interface CommitStatusFacts {
  name: string;
  ref: string;
  sha: string;
  status: string;
  allow_failure: 0 | 1;
}
