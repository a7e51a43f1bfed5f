import type { FeatureFlagFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { fullProjectPayload, projectOf } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

/** Hook payload for a feature flag that was switched on or off. */
export async function featureFlagHookEvent(
  deps: Deps,
  { payload, actor_id }: RecordedEvent<'feature_flag.switched'>,
): Promise<BuiltPayload | undefined> {
  const { project_id, feature_flag_id, feature_flag } = payload;
  return build(deps, project_id, { ...feature_flag, id: feature_flag_id }, actor_id);
}

async function build(
  deps: Deps,
  projectId: number,
  { id, name, description, active }: FeatureFlagFacts & { id: number },
  actorId: number | null,
): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, projectId);
  if (project === undefined) return undefined;
  const user = await userOf(deps.db, actorId);
  return {
    projectId,
    payload: {
      object_kind: 'feature_flag',
      project: fullProjectPayload(deps, project),
      user: userPayloadOrNull(deps, user),
      user_url: user === undefined ? null : `${deps.externalUrl()}/${user.username}`,
      object_attributes: { id, name, description, active: active === 1 },
    },
  };
}

/** Returns the payload of the last feature flag as if just switched, for tests of hooks; undefined if there is none. */
export async function sampleFeatureFlag(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('feature_flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (await build(deps, projectId, row, userId));
}
