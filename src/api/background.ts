import type { Deps } from '../deps.ts';
import { registerBlobRemoval } from '../storage/unused-blobs.ts';
import { registerMergedDeletion } from './code/branches/merged.ts';
import { registerLineWork } from './planning/discussions/background.ts';
import { registerActivityFeed } from './planning/events/record.ts';
import { registerUnassigning } from './planning/issuables/unassign.ts';
import { registerApprovalWork } from './planning/merge-requests/approvals/background.ts';
import { registerMerging } from './planning/merge-requests/merging/background.ts';
import { recoverMerges } from './planning/merge-requests/merging/lock.ts';
import { registerMergeRequestWork } from './planning/merge-requests/requests/background.ts';
import { registerReferences } from './planning/references/background.ts';
import { registerTodos } from './planning/todos/background.ts';
import { recoverRemovalOfMarked, registerRemovalOfMarked } from './spaces/groups/remove-marked.ts';
import { registerProjectWork } from './spaces/projects/background.ts';

/** Names what the resources do in the background, one line each: jobs by kind and subscribers of events. */
export function registerBackgroundWork(deps: Deps): void {
  registerBlobRemoval(deps);
  registerApprovalWork(deps);
  registerMergedDeletion(deps);
  registerUnassigning(deps);
  registerActivityFeed(deps);
  registerLineWork(deps);
  registerMergeRequestWork(deps);
  registerMerging(deps);
  registerProjectWork(deps);
  registerReferences(deps);
  registerRemovalOfMarked(deps);
  registerTodos(deps);
}

/** Settles what resources were doing when the server ended. For the start, once interrupted writes are settled. */
export async function recoverBackgroundWork(deps: Deps): Promise<void> {
  await recoverMerges(deps);
  await recoverRemovalOfMarked(deps);
}
