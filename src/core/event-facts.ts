import type {
  AwardFacts,
  CommitStatusFacts,
  FeatureFlagFacts,
  GroupFacts,
  IssueFacts,
  LabelFacts,
  MemberFacts,
  MergeRequestFacts,
  MilestoneFacts,
  NoteFacts,
  ProjectFacts,
  ReleaseFacts,
  SnippetFacts,
  UserFacts,
} from './event-fact-types.ts';

export type * from './event-fact-types.ts';

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

/** Selects the columns of a row that events record. */
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
export const userFacts = pick<UserFacts>('username', 'name', 'email', 'state', 'created_at', 'updated_at');
export const memberFacts = pick<MemberFacts>('access_level', 'expires_at', 'created_at', 'updated_at');
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
