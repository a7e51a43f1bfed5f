import type { ResourceTokenFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { milestoneOwnerOf } from './milestone.payload.ts';
import { utcText } from './payloads.times.ts';
import { HEADERS, type HookEvent } from './types.ts';

type Expiring = 'access_token.expiring' | 'deploy_token.expiring';

const KINDS = {
  'access_token.expiring': { trigger: 'resource_access_token', kind: 'access_token' },
  'deploy_token.expiring': { trigger: 'resource_deploy_token', kind: 'deploy_token' },
} as const;

interface About {
  token: ResourceTokenFacts;
  token_id: number;
  source_type: 'project' | 'group';
  source_id: number;
}

/** Hook payloads of a project or group for a token that is about to expire. */
export async function expiringTokenHookEvents(
  deps: Deps,
  { type, payload }: RecordedEvent<Expiring>,
): Promise<HookEvent[]> {
  const hookEvent = await buildHookEvent(deps, type, payload);
  return hookEvent === undefined ? [] : [hookEvent];
}

async function buildHookEvent(
  deps: Deps,
  type: Expiring,
  { token, token_id, source_type, source_id }: About,
): Promise<HookEvent | undefined> {
  const { trigger, kind } = KINDS[type];
  const owner = await milestoneOwnerOf(deps, {
    project_id: source_type === 'project' ? source_id : null,
    group_id: source_type === 'group' ? source_id : null,
  });
  if (owner === undefined) return undefined;
  const { projectId, groupId, shown } = owner;
  return {
    trigger,
    header: HEADERS[trigger],
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
 * Returns the payload of the last token of a project as if about to expire, for tests of hooks; undefined if there is
 * none.
 */
export async function sampleExpiringToken(
  deps: Deps,
  projectId: number,
  type: Expiring,
): Promise<HookEvent | undefined> {
  const source = { source_type: 'project', source_id: projectId } as const;
  const token = await (type === 'access_token.expiring'
    ? lastAccessToken(deps, projectId)
    : lastDeployToken(deps, projectId));
  return token && (await buildHookEvent(deps, type, { ...source, token_id: token.id, token }));
}

async function lastAccessToken({ db, clock }: Deps, projectId: number) {
  const row = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('resource_type', '=', 'project')
    .where('resource_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { ...row, expires_at: row.expires_at ?? clock.now().toISOString() };
}

async function lastDeployToken({ db, clock }: Deps, projectId: number) {
  const row = await db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where('source_type', '=', 'project')
    .where('source_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const expires_at = row?.expires_at ?? clock.now().toISOString();
  return row && { ...row, user_id: row.creator_id, expires_at, last_used_at: null };
}
