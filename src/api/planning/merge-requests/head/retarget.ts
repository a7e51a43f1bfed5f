import type { ExpressionBuilder } from 'kysely';
import { timestamp } from '../../../../core/clock.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { Db, Schema } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { changeOfUpdate } from '../../issuables/issuables.target.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { resetForTarget } from '../approvals/reset.ts';
import { findDuplicate, tipOf } from '../lifecycle/branches.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { projectOf } from '../lifecycle/merge-requests.projects.ts';
import { uncheckedStatus } from '../lifecycle/merge-status.ts';
import { enqueueRefresh } from '../mergeability/refresh.ts';
import { cancelAutoMerge } from '../merging/auto-merge.ts';

/** Maximum number of merge requests to retarget when a merged branch is deleted. */
const MAX_RETARGETED = 4;

/**
 * Retargets open merge requests into a branch that was deleted with its merge to the target of that merge, in the
 * transaction that records the deletion. Those that would become duplicates stay.
 * @param mergedId the merge request that was merged
 */
export async function retargetChain(deps: Deps, db: Db, mergedId: number, userId: number | null): Promise<void> {
  const merged = await db.selectFrom('merge_requests').selectAll().where('id', '=', mergedId).executeTakeFirst();
  if (merged?.state !== 'merged' || merged.source_project_id !== merged.project_id) return;
  const { project_id, source_branch, target_branch } = merged;
  const project = await projectOf(db, project_id);
  if (project === undefined || (await tipOf(deps, project, target_branch)) === null) return;
  const open = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project_id)
    .where('target_branch', '=', source_branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .limit(MAX_RETARGETED)
    .execute();
  for (const { id } of open) {
    const row = await lockMergeRequest(db, id);
    if (row?.state !== 'opened' || row.target_branch !== source_branch) continue;
    if (row.source_project_id === project_id && row.source_branch === target_branch) continue;
    if ((await findDuplicate(db, { ...row, target_branch }, id)) !== undefined) continue;
    await retarget(deps, db, row, target_branch, userId);
  }
}

/** A change of the target branch, and its author. */
interface Retarget {
  target_branch: string;
  userId: number;
  /** Text of the system note. */
  note: string;
}

/**
 * Resets what was agreed for the old target branch of a merge request: approvals and an auto-merge. Writes a system
 * note. The row must be locked by the transaction.
 * @returns the columns of the new target for the caller's update, after which an open one needs `enqueueRefresh`
 */
export async function changeTarget(deps: Deps, db: Db, row: MergeRequest, { target_branch, userId, note }: Retarget) {
  const { id, project_id: projectId } = row;
  await writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId }, userId, 'branch', note);
  await resetForTarget(deps, db, row, userId);
  const text = 'aborted the automatic merge because target branch was changed';
  await cancelAutoMerge(deps, db, row, { userId, text });
  return (eb: ExpressionBuilder<Schema, 'merge_requests'>) => ({
    target_branch,
    merge_status: uncheckedStatus(eb),
    approvals_syncing: 1 as const,
  });
}

async function retarget(
  deps: Deps,
  db: Db,
  before: MergeRequest,
  target_branch: string,
  userId: number | null,
): Promise<void> {
  const { id, project_id } = before;
  const note = `deleted the \`${before.target_branch}\` branch. This merge request now targets the \`${target_branch}\` branch`;
  const target = await changeTarget(deps, db, before, { target_branch, userId: userId ?? before.author_id, note });
  const after = await db
    .updateTable('merge_requests')
    .set((eb) => ({ ...target(eb), updated_at: timestamp(deps.clock) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await deps.events.record(
    db,
    'merge_request.updated',
    {
      merge_request_id: id,
      project_id,
      merge_request: mergeRequestFacts(after),
      changes: { target_branch: [before.target_branch, target_branch], ...changeOfUpdate(before, after) },
    },
    { projectId: project_id, actorId: userId },
  );
  await enqueueRefresh(deps, db, id);
}
