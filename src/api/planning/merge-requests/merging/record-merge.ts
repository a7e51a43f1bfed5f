import type { ChangeCause } from '../../../../core/change-cause.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { Deps } from '../../../../deps.ts';
import { markMerged } from '../lifecycle/merge-requests.state.ts';
import { dropUnlock, preserveApprovals } from './merging.lock.ts';
import { enqueueRemoval } from './remove-source.ts';

/**
 * Records a merge in the transaction that moves its target branch, with its consequences: drops the unlock job, keeps
 * the approvals, and enqueues the removal of the source branch.
 */
export async function recordMerge(
  deps: Deps,
  db: Db,
  cause: Extract<ChangeCause, { type: 'merge' }>,
  userId: number | null,
): Promise<void> {
  const { merge_request_id: id, head_sha, merge_commit_sha, squash_commit_sha } = cause;
  await markMerged(deps, db, id, { head_sha, merge_commit_sha, squash_commit_sha }, userId);
  await dropUnlock(deps, db, id);
  await preserveApprovals(db, id);
  await enqueueRemoval(deps, db, id, userId);
}
