import { invalidModel } from '../../../../core/core.errors.ts';
import type { LabelFacts } from '../../../../core/event-facts.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { changeAssignees } from '../../issuables/assignees.ts';
import { changeLabels } from '../../issuables/issuables.labels.ts';
import type { IssuableTarget, ValueChange } from '../../issuables/issuables.target.ts';
import { findMilestoneFor } from '../../milestones/milestones.find.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { recordMilestone } from '../../resource-events/resource-events.record.ts';
import type { MergeRequestScope } from '../views/merge-requests.detail-views.ts';
import { assigneeIds, type UpdateMergeRequest } from './merge-requests.inputs.ts';
import { changeReviewers } from './reviewers.ts';

/** Old and new values by attribute, for the event. */
export type MetadataChanges = {
  labels?: [LabelFacts[], LabelFacts[]];
  assignee_ids?: [number[], number[]];
  reviewer_ids?: [number[], number[]];
  milestone_id?: [number | null, number | null];
};

type Metadata = Pick<
  UpdateMergeRequest,
  'assignee_id' | 'assignee_ids' | 'reviewer_ids' | 'labels' | 'add_labels' | 'remove_labels' | 'milestone_id'
>;

/**
 * Changes assignees, reviewers, labels and milestone of a merge request within a transaction. Ignores attributes that
 * the caller may not set, as on the platform.
 * @throws ApiError 400 for an unknown milestone
 */
export async function changeMetadata(
  deps: Deps,
  db: Db,
  scope: MergeRequestScope,
  row: Pick<MergeRequest, 'id' | 'milestone_id' | 'state'>,
  metadata: Metadata,
  actorId: number,
): Promise<MetadataChanges> {
  const { project, namespace, permissions } = scope;
  if (!permissions.can('admin_merge_request')) return {};
  const target: IssuableTarget = { type: 'MergeRequest', id: row.id, project, namespace };
  const changes: MetadataChanges = {};
  const note = <K extends keyof MetadataChanges>(name: K, change: MetadataChanges[K] | null) => {
    if (change != null) changes[name] = change;
  };
  const assignees = assigneeIds(metadata);
  if (assignees !== null) note('assignee_ids', await changeAssignees(deps, db, target, assignees, actorId));
  if (metadata.reviewer_ids !== undefined) {
    const reviewers = (metadata.reviewer_ids ?? []).filter((id) => id > 0);
    note('reviewer_ids', await changeReviewers(deps, db, target, reviewers, actorId));
  }
  const { labels, add_labels: add, remove_labels: remove } = metadata;
  if (labels !== undefined || add !== undefined || remove !== undefined) {
    const change = { labels: labels === undefined ? undefined : (labels ?? []), add, remove };
    const actor = { userId: actorId, mayCreate: permissions.can('admin_label') };
    note('labels', await changeLabels(deps, db, target, change, actor));
  }
  if (metadata.milestone_id !== undefined) {
    note('milestone_id', await changeMilestone(deps, db, target, row, metadata.milestone_id || null, actorId));
  }
  return changes;
}

async function changeMilestone(
  deps: Deps,
  db: Db,
  { id, project, namespace }: IssuableTarget,
  { milestone_id: before, state }: Pick<MergeRequest, 'milestone_id' | 'state'>,
  after: number | null,
  actorId: number,
): Promise<ValueChange<number | null>> {
  if (before === after) return null;
  const milestone = after === null ? null : await findMilestoneFor(db, project, namespace, after);
  if (milestone === undefined) throw invalidModel({ milestone_id: ['is invalid'] });
  await db.updateTable('merge_requests').set({ milestone_id: after }).where('id', '=', id).execute();
  const text = milestone === null ? 'removed milestone' : `changed milestone to %"${milestone.title}"`;
  const about = { type: 'MergeRequest', id, projectId: project.id } as const;
  await writeSystemNote(deps, db, about, actorId, 'milestone', text);
  await recordMilestone(deps, db, about, actorId, { before, after, state });
  return [before, after];
}
