import type { Deps } from '../../../../deps.ts';
import { registerRefRemoval } from '../lifecycle/merge-requests.destroy.ts';
import { registerOrphans } from '../lifecycle/merge-requests.orphans.ts';
import { REFRESH, refreshMergeRequest } from '../mergeability/refresh.ts';
import { followPush } from './follow-push.ts';
import { registerTargetMoved } from './target-moved.ts';

/** Registers the effects of ref updates on merge requests: synchronous ones within the push, and background jobs. */
export function registerMergeRequestWork(deps: Deps): void {
  deps.refChanges.project.observers.push(followPush(deps));
  registerTargetMoved(deps);
  registerRefRemoval(deps);
  registerOrphans(deps);
  deps.jobs.register(REFRESH, async ({ id }) => {
    const row = await deps.db.selectFrom('merge_requests').select('id').where('id', '=', id).executeTakeFirst();
    if (row !== undefined) await refreshMergeRequest(deps, id);
  });
}
