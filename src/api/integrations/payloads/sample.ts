import { refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { HOOK_EVENTS, type Trigger } from './hook-events.table.ts';
import { hookEvent } from './hook-events.ts';
import type { HookEvent, HookOwner } from './types.ts';

/**
 * Builds the payload for the test of a hook, from the last object of that kind, as if it had just changed. Group hooks
 * are tested with the first project of the group.
 * @param userId id of the user who tests
 * @throws ApiError 422 if there is no such object
 */
export async function sampleEvent(
  deps: Deps,
  owner: HookOwner,
  trigger: Trigger,
  userId: number | null,
): Promise<HookEvent> {
  const { sample: [make, missing] = [], flag } = HOOK_EVENTS[trigger];
  const groupId = 'groupId' in owner ? owner.groupId : undefined;
  const id = flag.project === undefined ? groupId : await projectFor(deps, owner);
  const built = id === undefined ? undefined : await make?.(deps, id, userId);
  if (built === undefined) throw refused(missing ?? 'There is nothing to test this trigger with.', 422);
  return hookEvent({ ...built, trigger });
}

/** Returns the project itself, or the first project of the group. */
async function projectFor({ db }: Deps, owner: HookOwner): Promise<number | undefined> {
  if ('projectId' in owner) return owner.projectId;
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', owner.groupId)
    .where('pending_delete', '=', 0)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return project?.id;
}
