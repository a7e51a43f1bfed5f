import { Type } from 'typebox';
import { Enum, optional } from '../../../http/http.schema.ts';

/** All actions of the platform; this server uses those of `TodoAction`. */
export const ACTIONS = [
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
  action: Enum(ACTIONS, { description: 'Reason of the to-do item.' }),
  author_id: Type.Integer({ description: 'Id of the user who caused the to-do item.' }),
  project_id: Type.Integer({ description: 'Id of a project.' }),
  group_id: Type.Integer({ description: 'Id of a group; includes projects of its subgroups.' }),
  state: Enum(['pending', 'done'], { description: 'State of the to-do items; defaults to `pending`.' }),
  type: Enum(TYPES, { description: 'Type of the target.' }),
});
