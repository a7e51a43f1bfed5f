import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { refreshMergeRequest } from '../head/refresh.ts';

/** Statuses after which nothing is left to find out. */
const SETTLED: readonly MergeRequest['merge_status'][] = ['can_be_merged', 'cannot_be_merged'];

/**
 * An open merge request with everything worked out that belongs to its head, now instead of in the background.
 * @throws ApiError 400 while the repository is read-only; GitError where git fails
 */
export async function recoverLockedMerge(deps: Deps, row: MergeRequest): Promise<MergeRequest> {
  const { id, state, merge_status, approvals_syncing, latest_diff_id } = row;
  if (state !== 'opened') return row;
  if (latest_diff_id !== null && approvals_syncing === 0 && SETTLED.includes(merge_status)) return row;
  return refreshMergeRequest(deps, id);
}
