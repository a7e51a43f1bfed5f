import type { Deps } from '../../../deps.ts';
import { deactivateSchedulesOf } from '../../../pipelines/creation/schedules.ts';

/** Has schedules stand still whose owner goes or is blocked: they never run in the name of somebody else. */
export function stopSchedulesOfFormerOwners(deps: Deps): void {
  deps.lifecycle.userRemoved.add((db, { id }) => deactivateSchedulesOf(deps, db, id));
  deps.lifecycle.userBlocked.add((db, id) => deactivateSchedulesOf(deps, db, id));
}
