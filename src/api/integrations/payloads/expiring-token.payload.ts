import type { ResourceTokenFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { milestoneOwnerOf } from './milestone.payload.ts';
import { utcText } from './payloads.times.ts';
import type { BuiltPayload } from './types.ts';

type Expiring = 'access_token.expiring' | 'deploy_token.expiring';

interface About {
  token: ResourceTokenFacts;
  token_id: number;
  source_type: 'project' | 'group';
  source_id: number;
}

/** Hook payload of a project or group for a token that is about to expire. */
export async function expiringTokenHookEvent(
  deps: Deps,
  { type, payload }: RecordedEvent<Expiring>,
): Promise<BuiltPayload | undefined> {
  return build(deps, type, payload);
}

async function build(
  deps: Deps,
  type: Expiring,
  { token, token_id, source_type, source_id }: About,
): Promise<BuiltPayload | undefined> {
  const kind = type === 'access_token.expiring' ? 'access_token' : 'deploy_token';
  const owner = await milestoneOwnerOf(deps, {
    project_id: source_type === 'project' ? source_id : null,
    group_id: source_type === 'group' ? source_id : null,
  });
  if (owner === undefined) return undefined;
  const { projectId, groupId, shown } = owner;
  return {
    projectId,
    groupId,
    payload: {
      object_kind: kind,
      ...shown,
      object_attributes: {
        user_id: token.user_id,
        created_at: utcText(token.created_at),
        id: token_id,
        name: token.name,
        expires_at: token.expires_at.slice(0, 10),
        last_used_at: token.last_used_at === null ? null : utcText(token.last_used_at),
      },
      event_name: `expiring_${kind}`,
    },
  };
}

/**
 * Returns the payload of the last access token of a project as if about to expire, for tests of hooks; undefined if
 * there is none.
 */
export async function sampleAccessToken(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('access_tokens')
    .selectAll()
    .where('resource_type', '=', 'project')
    .where('resource_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && sampleOf(deps, 'access_token.expiring', projectId, row);
}

/** Returns the same of the last deploy token. */
export async function sampleDeployToken(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where('source_type', '=', 'project')
    .where('source_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (
    row && sampleOf(deps, 'deploy_token.expiring', projectId, { ...row, user_id: row.creator_id, last_used_at: null })
  );
}

type TokenForPayload = Omit<ResourceTokenFacts, 'expires_at'> & { id: number; expires_at: string | null };

function sampleOf(
  deps: Deps,
  type: Expiring,
  projectId: number,
  row: TokenForPayload,
): Promise<BuiltPayload | undefined> {
  const token = { ...row, expires_at: row.expires_at ?? deps.clock.now().toISOString() };
  return build(deps, type, { source_type: 'project', source_id: projectId, token_id: row.id, token });
}
