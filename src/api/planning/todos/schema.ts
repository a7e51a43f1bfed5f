import { Type } from 'typebox';
import { Enum, Instant, Nullable, optional } from '../../../http/schema.ts';
import { Commit } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { Issue } from '../issues/entity.ts';
import { MergeRequestBasic } from '../merge-requests/requests/schema.ts';

/** All that the platform knows; this server has those of `TodoAction`. */
const ACTIONS = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'merge_train_removed',
  'member_access_requested',
  'review_requested',
  'review_submitted',
  'added_approver',
] as const;

const TYPES = [
  'Issue',
  'MergeRequest',
  'Commit',
  'Epic',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'Project',
  'Namespace',
  'Vulnerability',
  'WikiPage::Meta',
] as const;

export const TodoFilters = optional({
  action: Enum(ACTIONS, { description: 'Why it is to be done.' }),
  author_id: Type.Integer({ description: 'Id of the user who made it.' }),
  project_id: Type.Integer({ description: 'Id of a project.' }),
  group_id: Type.Integer({ description: 'Id of a group; projects of groups below it count too.' }),
  state: Enum(['pending', 'done'], { description: 'Pending ones when absent.' }),
  type: Enum(TYPES, { description: 'What it is about.' }),
});

const ProjectIdentity = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String({ description: 'With the names of the groups above it.' }),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
});

/** Something that waits for a user. */
export const Todo = Type.Object({
  id: Type.Integer(),
  project: ProjectIdentity,
  author: UserBasic,
  action_name: Enum(ACTIONS),
  target_type: Enum(['Issue', 'MergeRequest', 'Commit']),
  target: Type.Union([Issue, MergeRequestBasic, Commit], { description: 'What is to be looked at.' }),
  target_url: Type.String({ description: 'Its page, or the comment on it.' }),
  body: Type.String({ description: 'Text of the comment, else the title of the target.' }),
  state: Enum(['pending', 'done']),
  created_at: Instant(),
  updated_at: Instant(),
});
