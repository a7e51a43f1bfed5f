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

const pick =
  <T extends object>(...keys: readonly (keyof T)[]) =>
  (row: T): T =>
    Object.fromEntries(keys.map((key) => [key, row[key]])) as T;

const ISSUABLE = [
  'iid',
  'title',
  'description',
  'state',
  'author_id',
  'milestone_id',
  'discussion_locked',
  'time_estimate',
  'time_spent',
  'updated_by_id',
  'created_at',
  'updated_at',
] as const;

/** Takes out of a row what an event keeps of it. */
export const projectFacts = pick<ProjectFacts>(
  'name',
  'path',
  'full_path',
  'namespace_id',
  'visibility',
  'description',
  'creator_id',
  'created_at',
  'updated_at',
);
export const groupFacts = pick<GroupFacts>(
  'name',
  'path',
  'full_path',
  'parent_id',
  'visibility',
  'created_at',
  'updated_at',
);
export const issueFacts = pick<IssueFacts>(
  ...ISSUABLE,
  'issue_type',
  'confidential',
  'weight',
  'due_date',
  'severity',
  'health_status',
  'relative_position',
  'moved_to_id',
  'duplicated_to_id',
  'closed_at',
);
export const mergeRequestFacts = pick<MergeRequestFacts>(
  ...ISSUABLE,
  'source_project_id',
  'source_branch',
  'target_branch',
  'draft',
  'head_sha',
  'merge_commit_sha',
  'squash_commit_sha',
  'merge_status',
  'merge_error',
  'auto_merge',
  'merge_params',
  'remove_source_branch',
  'merge_user_id',
  'prepared_at',
);
export const labelFacts = pick<LabelFacts>(
  'id',
  'name',
  'color',
  'description',
  'project_id',
  'group_id',
  'created_at',
  'updated_at',
);
export const awardFacts = pick<AwardFacts>('name', 'user_id', 'created_at', 'updated_at');
export const noteFacts = pick<NoteFacts>(
  'note',
  'author_id',
  'system',
  'internal',
  'noteable_id',
  'commit_id',
  'type',
  'discussion_id',
  'position',
  'resolved_at',
  'resolved_by_id',
  'updated_by_id',
  'created_at',
  'updated_at',
);
export const milestoneFacts = pick<MilestoneFacts>(
  'iid',
  'title',
  'description',
  'state',
  'start_date',
  'due_date',
  'created_at',
  'updated_at',
);
export const snippetFacts = pick<SnippetFacts>(
  'title',
  'description',
  'visibility',
  'author_id',
  'created_at',
  'updated_at',
);
export const releaseFacts = pick<ReleaseFacts>(
  'tag',
  'name',
  'description',
  'sha',
  'author_id',
  'released_at',
  'created_at',
  'updated_at',
);
export const featureFlagFacts = pick<FeatureFlagFacts>('name', 'description', 'active');
export const commitStatusFacts = pick<CommitStatusFacts>('name', 'ref', 'sha', 'status', 'allow_failure');
