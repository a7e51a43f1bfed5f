import type { Deps } from '../deps.ts';
import { registerMergedDeletion } from './branches/merged.ts';
import { registerMergeRequestWork } from './merge-requests/background.ts';
import { registerProjectWork } from './projects/background.ts';

/** Names what the resources do in the background, one line each: jobs by kind and subscribers of events. */
export function registerBackgroundWork(deps: Deps): void {
  registerMergedDeletion(deps);
  registerMergeRequestWork(deps);
  registerProjectWork(deps);
}
