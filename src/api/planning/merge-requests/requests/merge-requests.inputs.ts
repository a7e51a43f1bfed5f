import { type Static, type TProperties, Type } from 'typebox';
import { Enum, Filled, Instant, List, Nullable, ofPlan, optional } from '../../../../http/http.schema.ts';
import { ApprovalRulesAttributes } from '../approvals/rule-attributes.ts';

const ids = (what: string) => List(Type.Integer(), { maxItems: 200, description: what, ...ofPlan('premium', 1) });

const names = (what: string) => List(Type.String(), { maxItems: 200, description: what });

/** Attributes at creation and update. */
const attributes = {
  description: Nullable(Type.String()),
  assignee_id: Nullable(
    Type.Integer({ description: 'Id of the only assignee; 0 for none. `assignee_ids` takes precedence.' }),
  ),
  assignee_ids: Nullable(ids('Ids of the assignees.')),
  reviewer_ids: Nullable(ids('Ids of the reviewers.')),
  labels: Nullable(names('Names of labels; unknown labels are created in the project.')),
  add_labels: names('Names of labels to add.'),
  remove_labels: names('Names of labels to remove.'),
  milestone_id: Nullable(
    Type.Integer({ description: 'Id of a milestone of the project or an ancestor group; 0 for none.' }),
  ),
  remove_source_branch: Type.Boolean({ description: 'Remove the source branch when merged.' }),
  allow_collaboration: Type.Boolean({ description: 'Allow users who may merge to push to the source branch.' }),
  allow_maintainer_to_push: Type.Boolean({ description: 'Deprecated: use `allow_collaboration`.' }),
  squash: Type.Boolean(),
  merge_after: Nullable(Instant({ description: 'Do not merge before this time.' })),
  approvals_before_merge: Nullable(
    Type.Integer({ minimum: 0, maximum: 100, description: 'Deprecated.', ...ofPlan('premium') }),
  ),
  approval_rules_attributes: ApprovalRulesAttributes,
} satisfies TProperties;

export const CreateMergeRequest = Type.Object({
  title: Type.String({ description: 'Title; a `Draft:` prefix marks the merge request as a draft.' }),
  source_branch: Type.String({ description: 'Branch of the project in the URL.' }),
  target_branch: Type.String(),
  ...optional({
    target_project_id: Type.Integer({
      description: 'Id of the project to merge into; defaults to the project in the URL.',
    }),
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

/** Ids of the assignees and reviewers in the parameters; null if absent. */
export function assigneeIds({
  assignee_id,
  assignee_ids,
}: Pick<UpdateMergeRequest, 'assignee_id' | 'assignee_ids'>): number[] | null {
  if (assignee_ids !== undefined) return (assignee_ids ?? []).filter((id) => id > 0);
  if (assignee_id === undefined) return null;
  return assignee_id === null || assignee_id === 0 ? [] : [assignee_id];
}
