import type { Deps } from '../../../../deps.ts';
import { registerAutoMerge } from './auto-merge.ts';
import { subscribeAutoMerge } from './auto-merge-events.ts';
import { registerUnlocking } from './merging.lock.ts';
import { registerRebase } from './merging.rebase.ts';
import { registerSourceRemoval } from './remove-source.ts';

/** What belongs to merges beside the request that asks for one: what follows from them, and what waits or was left. */
export function registerMerging(deps: Deps): void {
  registerUnlocking(deps);
  registerSourceRemoval(deps);
  registerRebase(deps);
  registerAutoMerge(deps);
  subscribeAutoMerge(deps);
}
