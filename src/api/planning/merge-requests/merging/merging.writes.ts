import type { UserCaller } from '../../../../access/caller.ts';
import { ApiError } from '../../../../core/core.errors.ts';
import type { MergeParams, MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { detailedMergeStatuses } from '../mergeability/mergeability.ts';
import type { MergeRequestScope } from '../views/merge-requests.detail-views.ts';
import { refuseOtherTarget } from './actor.ts';
import { cancelAutoMerge, enableAutoMerge, mustWait } from './auto-merge.ts';
import { mergeNow } from './merging.merge.ts';
import { recoverLockedMerge } from './recover-locked-merge.ts';
import { mergeRefusal, methodNotAllowed, shaMismatch } from './refusals.ts';

export interface MergingScope extends MergeRequestScope {
  caller: UserCaller;
}

export interface AcceptOptions extends Omit<MergeParams, 'sha'> {
  /** Head that the client expects. */
  sha?: string | undefined;
  /** Wait for pending checks instead of refusing. */
  auto: boolean;
}

/**
 * Merges a merge request, or enables auto-merge if `auto` is given and checks are pending (part 1, 4.4).
 * @throws ApiError 401 if the caller may not merge into the target branch, 405 if its state does not allow it, 409 if
 *   `sha` is not the head or the target branch changes in the meantime, 422 `Branch cannot be merged`
 */
export async function acceptMergeRequest(
  deps: Deps,
  scope: MergingScope,
  input: MergeRequest,
  { auto, sha, ...options }: AcceptOptions,
): Promise<void> {
  const { caller } = scope;
  const row = await recoverLockedMerge(deps, input);
  refuseOtherTarget(input, row);
  const status = (await detailedMergeStatuses(deps, deps.db, [row])).get(row.id)!;
  const later = auto && row.state === 'opened' && (await mustWait(deps, row, status));
  if (!later && status !== 'mergeable') throw mergeRefusal(status);
  if (sha !== undefined && sha !== row.head_sha) throw shaMismatch(row);
  const params: MergeParams = { squash: row.squash === 1, ...options };
  if (later) await enableAutoMerge(deps, row, params, caller);
  else await mergeNow(deps, { mergeRequest: row, caller, params });
}

/** Cancels an auto-merge. @throws ApiError 405 if it is no longer open, 406 if auto-merge is not enabled */
export async function cancelAutomaticMerge(deps: Deps, { user }: UserCaller, row: MergeRequest): Promise<void> {
  if (row.state !== 'opened') throw methodNotAllowed();
  const by = { userId: user.id, text: 'canceled the automatic merge' };
  const canceled = await deps.db.transaction().execute((db) => cancelAutoMerge(deps, db, row, by));
  if (!canceled) throw new ApiError(406, "Can't cancel the automatic merge");
}
