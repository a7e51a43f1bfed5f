import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { IssueInput } from '../issues/issues.inputs.ts';
import { updateIssue } from '../issues/issues.update.ts';
import type { UpdateMergeRequest } from '../merge-requests/requests/merge-requests.inputs.ts';
import { updateMergeRequest } from '../merge-requests/requests/merge-requests.update.ts';
import { withDraft } from '../merge-requests/requests/title.ts';
import type { IssuableUpdate } from './quick-actions.action.ts';
import type { Prepared } from './quick-actions.prepare.ts';

type LabelInput = Pick<IssueInput, 'labels' | 'add_labels' | 'remove_labels'>;

/** Label changes by name, as input of the endpoints. */
function labelInput({ update, labels }: Prepared): LabelInput {
  const namesOf = (ids: readonly number[]) => ids.flatMap((id) => labels.get(id) ?? []);
  const { label_ids, add_label_ids, remove_label_ids } = update;
  return {
    ...(label_ids === undefined ? {} : { labels: namesOf(label_ids) }),
    ...(add_label_ids === undefined ? {} : { add_labels: namesOf(add_label_ids) }),
    ...(remove_label_ids === undefined ? {} : { remove_labels: namesOf(remove_label_ids) }),
  };
}

/** The update of an issue, as input of its endpoints. */
export function issueInput(prepared: Prepared): IssueInput {
  const { label_ids, add_label_ids, remove_label_ids, reviewer_ids, wip_event, target_branch, ...rest } =
    prepared.update;
  return { ...rest, ...labelInput(prepared) };
}

/** The update of a merge request, as input of its endpoints. @param title current or requested title */
export function mergeRequestInput(prepared: Prepared, title: string): UpdateMergeRequest {
  const { assignee_ids, reviewer_ids, milestone_id, state_event, discussion_locked, target_branch, wip_event } =
    prepared.update;
  const plain = prepared.update.title ?? title;
  const newTitle = wip_event === undefined ? plain : withDraft(plain, wip_event === 'draft');
  return {
    ...(newTitle === title ? {} : { title: newTitle }),
    ...(assignee_ids === undefined ? {} : { assignee_ids }),
    ...(reviewer_ids === undefined ? {} : { reviewer_ids }),
    ...(milestone_id === undefined ? {} : { milestone_id }),
    ...(state_event === undefined ? {} : { state_event }),
    ...(discussion_locked === undefined ? {} : { discussion_locked }),
    ...(target_branch === undefined ? {} : { target_branch }),
    ...labelInput(prepared),
  };
}

/** Applies the update of all quick actions as one change. @param deps deps of a transaction @throws ApiError */
export async function applyUpdate(deps: Deps, scope: UserScope, prepared: Prepared): Promise<void> {
  const { issue, mergeRequest } = prepared.target;
  if (issue !== null) await updateIssue(deps, scope, issue, issueInput(prepared));
  else if (mergeRequest !== null) {
    const input = mergeRequestInput(prepared, await titleOf(deps.db, mergeRequest));
    await updateMergeRequest(deps, scope, mergeRequest, input);
  }
}

async function titleOf(db: Db, { id, title }: { id: number; title: string }): Promise<string> {
  const row = await db.selectFrom('merge_requests').select('title').where('id', '=', id).executeTakeFirst();
  return row?.title ?? title;
}

/** The part of an update that is shown as `commands_changes`. */
export function changesOf({ severity, issue_type, ...update }: IssuableUpdate): Record<string, unknown> {
  return update;
}
