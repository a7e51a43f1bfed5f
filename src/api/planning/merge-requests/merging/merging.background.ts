import type { Deps } from '../../../../deps.ts';
import { registerAutoMerge } from './auto-merge.ts';
import { subscribeAutoMerge } from './auto-merge-events.ts';
import { registerUnlocking } from './merging.lock.ts';
import { registerRebase } from './merging.rebase.ts';
import { registerSourceRemoval } from './remove-source.ts';

/** Registers the background work of merges: consequences, auto-merges and recovery. */
export function registerMerging(deps: Deps): void {
  registerUnlocking(deps);
  registerSourceRemoval(deps);
  registerRebase(deps);
  registerAutoMerge(deps);
  subscribeAutoMerge(deps);
}
