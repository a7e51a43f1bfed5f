import { Type } from 'typebox';
import { Enum, optional } from '../../../http/http.schema.ts';

/** All that the platform knows; this server has those of `TodoAction`. */
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
  action: Enum(ACTIONS, { description: 'Why it is to be done.' }),
  author_id: Type.Integer({ description: 'Id of the user who made it.' }),
  project_id: Type.Integer({ description: 'Id of a project.' }),
  group_id: Type.Integer({ description: 'Id of a group; projects of groups below it count too.' }),
  state: Enum(['pending', 'done'], { description: 'Pending ones when absent.' }),
  type: Enum(TYPES, { description: 'What it is about.' }),
});
