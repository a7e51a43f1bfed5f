import { type Static, Type } from 'typebox';
import { Day, Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { LabelList, References, TaskCompletionStatus, TimeStats } from '../issuables/issuables.responses.ts';
import { Milestone } from '../milestones/milestones.responses.ts';

export const ISSUE_TYPES = ['issue', 'incident', 'test_case', 'requirement', 'task', 'ticket'] as const;

const basicFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: Nullable(Type.String()),
  state: Enum(['opened', 'closed']),
  created_at: Instant(),
  updated_at: Instant(),
  closed_at: Nullable(Instant()),
  closed_by: Nullable(UserBasic),
  labels: LabelList,
  milestone: Nullable(Milestone),
  assignees: Type.Array(UserBasic),
  author: UserBasic,
  type: Type.String({ description: '`issue_type` in capitals.' }),
  assignee: Nullable(UserBasic),
  user_notes_count: Type.Integer(),
  merge_requests_count: Type.Integer({ description: 'Number of merge requests that close it when merged.' }),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  start_date: Nullable(Day()),
  due_date: Nullable(Day()),
  confidential: Type.Boolean(),
  discussion_locked: Nullable(Type.Boolean()),
  issue_type: Enum(ISSUE_TYPES),
  web_url: Type.String(),
  time_stats: TimeStats,
  task_completion_status: TaskCompletionStatus,
  weight: Nullable(Type.Integer()),
  blocking_issues_count: Type.Integer(),
  subscribed: Type.Optional(Type.Boolean()),
};

/** An issue as embedded in other objects (part 1, section 2: issue links). */
export const IssueBasic = Type.Object(basicFields);
export type IssueBasic = Static<typeof IssueBasic>;

/** An issue with all attributes. */
export const Issue = Type.Object({
  ...basicFields,
  has_tasks: Type.Boolean(),
  task_status: Type.Optional(Type.String()),
  _links: Type.Object({
    self: Type.String(),
    notes: Type.String(),
    award_emoji: Type.String(),
    project: Type.String(),
    closed_as_duplicate_of: Nullable(Type.String()),
  }),
  references: References,
  severity: Enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  moved_to_id: Nullable(Type.Integer()),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  service_desk_reply_to: Nullable(Type.String()),
  epic_iid: Nullable(Type.Integer()),
  epic: Type.Null(),
  iteration: Type.Null(),
  health_status: Nullable(Type.String()),
});
export type Issue = Static<typeof Issue>;
