import type { Deps } from '../../../../deps.ts';
import { registerRefRemoval } from '../requests/merge-requests.destroy.ts';
import { registerOrphans } from '../requests/merge-requests.orphans.ts';
import { followPush } from './follow-push.ts';
import { REFRESH, refreshMergeRequest } from './refresh.ts';
import { registerTargetMoved } from './target-moved.ts';

/** What is done for merge requests when refs move: at once, within the push, and in the background after it. */
export function registerMergeRequestWork(deps: Deps): void {
  deps.refObservers.push(followPush(deps));
  registerTargetMoved(deps);
  registerRefRemoval(deps);
  registerOrphans(deps);
  deps.jobs.register(REFRESH, async ({ id }) => {
    const found = await deps.db.selectFrom('merge_requests').select('id').where('id', '=', id).executeTakeFirst();
    if (found !== undefined) await refreshMergeRequest(deps, id);
  });
}
