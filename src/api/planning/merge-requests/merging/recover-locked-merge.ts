import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { refreshMergeRequest } from '../mergeability/refresh.ts';

/** Final results of the mergeability check. */
const SETTLED: readonly MergeRequest['merge_status'][] = ['can_be_merged', 'cannot_be_merged'];

/**
 * Refreshes an open merge request and its mergeability synchronously.
 * @throws ApiError 400 while the repository is read-only; GitError if git fails
 */
export async function recoverLockedMerge(deps: Deps, row: MergeRequest): Promise<MergeRequest> {
  const { id, state, merge_status, approvals_syncing, latest_diff_id } = row;
  if (state !== 'opened') return row;
  if (latest_diff_id !== null && approvals_syncing === 0 && SETTLED.includes(merge_status)) return row;
  return refreshMergeRequest(deps, id);
}
