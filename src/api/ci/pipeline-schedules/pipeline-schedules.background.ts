import type { Deps } from '../../../deps.ts';
import { deactivateSchedulesOf } from '../../../pipelines/creation/schedules.ts';

/** Deactivates schedules whose owner is deleted or blocked: they never run as another user. */
export function stopSchedulesOfFormerOwners(deps: Deps): void {
  deps.lifecycle.userRemoved.add((db, { id }) => deactivateSchedulesOf(deps, db, id));
  deps.lifecycle.userBlocked.add((db, id) => deactivateSchedulesOf(deps, db, id));
}
