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
  created_at: string;
  updated_at: string;
}

/** What an issue was. */
export interface IssueFacts extends IssuableFacts {
  issue_type: string;
  confidential: 0 | 1;
  weight: number | null;
  due_date: string | null;
}

/** What a merge request was. */
export interface MergeRequestFacts extends IssuableFacts {
  source_project_id: number | null;
  source_branch: string;
  target_branch: string;
  head_sha: string | null;
  merge_commit_sha: string | null;
}

/** What a note was. */
export interface NoteFacts {
  note: string;
  author_id: number;
  system: 0 | 1;
  internal: 0 | 1;
  noteable_id: number | null;
  commit_id: string | null;
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
export const issueFacts = pick<IssueFacts>(...ISSUABLE, 'issue_type', 'confidential', 'weight', 'due_date');
export const mergeRequestFacts = pick<MergeRequestFacts>(
  ...ISSUABLE,
  'source_project_id',
  'source_branch',
  'target_branch',
  'head_sha',
  'merge_commit_sha',
);
export const noteFacts = pick<NoteFacts>(
  'note',
  'author_id',
  'system',
  'internal',
  'noteable_id',
  'commit_id',
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
export const commitStatusFacts = pick<CommitStatusFacts>('name', 'ref', 'sha', 'status', 'allow_failure');
