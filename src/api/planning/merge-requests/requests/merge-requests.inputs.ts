import { type Static, type TProperties, Type } from 'typebox';
import { Enum, Filled, Instant, List, Nullable, ofPlan, optional } from '../../../../http/http.schema.ts';
import { ApprovalRulesAttributes } from '../approvals/rule-attributes.ts';

const ids = (what: string) => List(Type.Integer(), { maxItems: 200, description: what, ...ofPlan('premium', 1) });

const names = (what: string) => List(Type.String(), { maxItems: 200, description: what });

/** What can be set when a merge request is made, and changed later. */
const attributes = {
  description: Nullable(Type.String()),
  assignee_id: Nullable(Type.Integer({ description: 'One assignee; 0 for none. `assignee_ids` goes first.' })),
  assignee_ids: Nullable(ids('Users it is assigned to.')),
  reviewer_ids: Nullable(ids('Users asked for a review.')),
  labels: Nullable(names('Names; those of no label become labels of the project.')),
  add_labels: names('Names of labels to add.'),
  remove_labels: names('Names of labels to take away.'),
  milestone_id: Nullable(Type.Integer({ description: 'Milestone of the project or a group above; 0 for none.' })),
  remove_source_branch: Type.Boolean({ description: 'Remove the source branch with the merge.' }),
  allow_collaboration: Type.Boolean({ description: 'Let those who may merge push to the source branch.' }),
  allow_maintainer_to_push: Type.Boolean({ description: 'The same; deprecated.' }),
  squash: Type.Boolean(),
  merge_after: Nullable(Instant({ description: 'Not to be merged before.' })),
  approvals_before_merge: Nullable(
    Type.Integer({ minimum: 0, maximum: 100, description: 'Deprecated.', ...ofPlan('premium') }),
  ),
  approval_rules_attributes: ApprovalRulesAttributes,
} satisfies TProperties;

export const CreateMergeRequest = Type.Object({
  title: Type.String({ description: 'A title that begins with `Draft:` makes a draft.' }),
  source_branch: Type.String({ description: 'Branch of the project of the address.' }),
  target_branch: Type.String(),
  ...optional({
    target_project_id: Type.Integer({ description: 'Project to merge into; the same project when absent.' }),
    ...attributes,
  }).properties,
});
export type CreateMergeRequest = Static<typeof CreateMergeRequest>;

export const UpdateMergeRequest = optional({
  title: Filled(),
  target_branch: Filled(),
  state_event: Enum(['close', 'reopen']),
  discussion_locked: Nullable(Type.Boolean()),
  ...attributes,
});
export type UpdateMergeRequest = Static<typeof UpdateMergeRequest>;

/** Of a client's parameters those that name people: null where nothing was said. */
export function assigneeIds({
  assignee_id,
  assignee_ids,
}: Pick<UpdateMergeRequest, 'assignee_id' | 'assignee_ids'>): number[] | null {
  if (assignee_ids !== undefined) return (assignee_ids ?? []).filter((id) => id > 0);
  if (assignee_id === undefined) return null;
  return assignee_id === null || assignee_id === 0 ? [] : [assignee_id];
}
