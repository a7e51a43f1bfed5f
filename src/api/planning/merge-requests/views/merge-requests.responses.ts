import { type Static, Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../../http/http.schema.ts';
import { Pipeline, PipelineBasic } from '../../../code/index.ts';
import { UserBasic } from '../../../identity/index.ts';
import { LabelList, References, TaskCompletionStatus, TimeStats } from '../../issuables/issuables.responses.ts';
import { Milestone } from '../../milestones/milestones.responses.ts';
import { DETAILED_MERGE_STATUSES } from '../mergeability/mergeability.statuses.ts';

/** Values of `merge_status` in responses. */
export const SHOWN_MERGE_STATUSES = [
  'unchecked',
  'checking',
  'can_be_merged',
  'cannot_be_merged',
  'cannot_be_merged_recheck',
] as const;

const simpleFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: Nullable(Type.String()),
  state: Enum(['opened', 'closed', 'locked', 'merged']),
  created_at: Instant(),
  updated_at: Instant(),
  web_url: Type.String(),
};

const basicFields = {
  ...simpleFields,
  merged_by: Nullable(UserBasic),
  merge_user: Nullable(UserBasic),
  merged_at: Nullable(Instant()),
  closed_by: Nullable(UserBasic),
  closed_at: Nullable(Instant()),
  title_html: Type.Optional(Type.String()),
  description_html: Type.Optional(Type.String()),
  target_branch: Type.String(),
  source_branch: Type.String(),
  user_notes_count: Type.Integer(),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  author: UserBasic,
  assignees: Type.Array(UserBasic),
  assignee: Nullable(UserBasic),
  reviewers: Type.Array(UserBasic),
  source_project_id: Nullable(Type.Integer({ description: 'Null if the source project was deleted.' })),
  target_project_id: Type.Integer(),
  labels: LabelList,
  draft: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  work_in_progress: Type.Boolean({ description: 'Deprecated: use `draft`.' }),
  milestone: Nullable(Milestone),
  merge_when_pipeline_succeeds: Type.Boolean(),
  merge_status: Enum(SHOWN_MERGE_STATUSES),
  detailed_merge_status: Enum(DETAILED_MERGE_STATUSES),
  merge_after: Nullable(Instant()),
  sha: Nullable(Type.String({ description: 'Head of the source branch.' })),
  merge_commit_sha: Nullable(Type.String()),
  squash_commit_sha: Nullable(Type.String()),
  discussion_locked: Nullable(Type.Boolean()),
  should_remove_source_branch: Nullable(Type.Boolean()),
  force_remove_source_branch: Nullable(Type.Boolean()),
  prepared_at: Nullable(Instant()),
  allow_collaboration: Type.Optional(Type.Boolean()),
  allow_maintainer_to_push: Type.Optional(Type.Boolean()),
  reference: Type.String({ description: 'Deprecated: use `references`.' }),
  references: References,
  time_stats: TimeStats,
  squash: Type.Boolean(),
  squash_on_merge: Type.Boolean(),
  task_completion_status: TaskCompletionStatus,
  has_conflicts: Type.Boolean(),
  blocking_discussions_resolved: Type.Boolean(),
  approvals_before_merge: Nullable(Type.Integer()),
};

/** A merge request with `view=simple`. */
export const MergeRequestSimple = Type.Object(simpleFields);
export type MergeRequestSimple = Static<typeof MergeRequestSimple>;

/** A merge request in lists (part 1, section 2: all keys). */
export const MergeRequestBasic = Type.Object(basicFields);
export type MergeRequestBasic = Static<typeof MergeRequestBasic>;

const text = Nullable(Type.String());

const instant = Nullable(Instant());

const DiffRefs = Type.Object({ base_sha: Type.String(), head_sha: Type.String(), start_sha: Type.String() });

/** A single merge request, with further attributes. */
export const MergeRequest = Type.Object({
  ...basicFields,
  subscribed: Type.Boolean(),
  changes_count: Nullable(Type.String({ description: 'Number of files, followed by `+` if there are more.' })),
  latest_build_started_at: instant,
  latest_build_finished_at: instant,
  first_deployed_to_production_at: instant,
  pipeline: Type.Optional(Nullable(PipelineBasic)),
  head_pipeline: Type.Optional(Nullable(Pipeline)),
  diff_refs: Nullable(DiffRefs),
  merge_error: text,
  rebase_in_progress: Type.Optional(Type.Boolean()),
  diverged_commits_count: Type.Optional(Type.Integer()),
  first_contribution: Type.Boolean(),
  user: Type.Object({ can_merge: Type.Boolean() }),
});
export type MergeRequest = Static<typeof MergeRequest>;
