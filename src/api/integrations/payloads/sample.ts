import { refused } from '../../../core/errors.ts';
import type { Deps } from '../../../deps.ts';
import { samplePush } from './push.ts';
import type { HookEvent, HookPlace, Trigger } from './types.ts';

/** Makes the message of a trigger for a project; undefined where there is nothing of the kind in it. */
type Sample = (deps: Deps, projectId: number, userId: number | null) => Promise<HookEvent | undefined>;

/** By trigger: how to make one, and what is said where there is nothing to make it of. */
const SAMPLES: Partial<Record<Trigger, readonly [Sample, string]>> = {
  push: [
    (deps, projectId, userId) => samplePush(deps, projectId, userId, 'push'),
    'Ensure the project has at least one commit.',
  ],
  tag_push: [
    (deps, projectId, userId) => samplePush(deps, projectId, userId, 'tag_push'),
    'Ensure the project has at least one commit.',
  ],
};

/**
 * A message for the test of a hook, made of the last thing of that kind, as if it had just happened.
 * @param userId who tests
 * @throws ApiError 422 where there is nothing of the kind
 */
export async function sampleEvent(
  deps: Deps,
  place: HookPlace,
  trigger: Trigger,
  userId: number | null,
): Promise<HookEvent> {
  const [make, words] = SAMPLES[trigger] ?? [];
  const projectId = 'projectId' in place ? place.projectId : await someProjectOf(deps, place.groupId);
  const made = projectId === undefined ? undefined : await make?.(deps, projectId, userId);
  if (made === undefined) throw refused(words ?? 'There is nothing to test this trigger with.', 422);
  return made;
}

/** The first project of a group: the platform tests the hooks of groups with it. */
async function someProjectOf({ db }: Deps, groupId: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('pending_delete', '=', 0)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}
