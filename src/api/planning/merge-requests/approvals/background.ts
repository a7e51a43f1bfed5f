import type { Deps } from '../../../../deps.ts';
import { resetApprovals } from './observer.ts';
import { noticeCodeOwners, registerResync } from './owners-changed.ts';

/** Names what approvals do beside their endpoints. */
export function registerApprovalWork(deps: Deps): void {
  deps.refObservers.push(resetApprovals(deps), noticeCodeOwners(deps));
  registerResync(deps);
}
