import type { EffectiveMembership } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { badRequest, invalidModel } from '../../../core/core.errors.ts';
import { randomText } from '../../../core/core.secrets.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  createAccount,
  expiryOf,
  type IssuedToken,
  issueToken,
  revokeFamily,
  revokeToken,
  rotateToken,
} from '../../identity/index.ts';
import { findDirect } from '../members/members.queries.ts';
import { type Change, insertMember, recordMember } from '../members/members.writes.ts';
import { revalidateSourceAbility, type Source } from '../spaces.source.ts';

/** Ability for managing access tokens, in projects and groups. */
export const MANAGE_TOKENS = { project: 'admin_access_tokens', group: 'admin_group_access_tokens' } as const;

export interface ResourceTokenRequest {
  name: string;
  scopes: readonly string[];
  description?: string | null | undefined;
  expiresAt?: string | null | undefined;
  accessLevel: number;
}

/** Creates a token of a project or group: bot, membership and token in one transaction. @throws ApiError 400 */
export async function createResourceToken(
  deps: Deps,
  change: Change,
  request: ResourceTokenRequest,
): Promise<IssuedToken> {
  const { source, actor } = change;
  if (actor.kind !== 'human' && actor.kind !== 'service_account') {
    throw badRequest(`User does not have permission to create ${source.kind} access token`);
  }
  if (request.scopes.length === 0) throw invalidModel({ scopes: ["can't be blank"] });
  const expiresAt = await expiryOf(deps, request.expiresAt);
  const username = `${source.kind}_${source.id}_bot_${randomText(32).toLowerCase()}`;
  return deps.db.transaction().execute(async (db) => {
    const bot = await createAccount(db, deps.clock, {
      username,
      name: request.name,
      email: `${username}@noreply.${new URL(deps.externalUrl()).hostname}`,
      kind: source.kind === 'project' ? 'project_bot' : 'group_bot',
      createdById: actor.id,
      columns: { projects_limit: 0 },
    });
    const own = await revalidateSourceAbility(deps, db, change.caller, source, MANAGE_TOKENS);
    if (request.accessLevel > own.level) {
      throw badRequest("Access level of the token can't be greater the access level of the user who created the token");
    }
    const membership = { accessLevel: request.accessLevel, expiresAt: null, memberRoleId: null };
    await insertMember(deps, db, change, own, bot, membership);
    return issueToken(deps, db, {
      userId: bot.id,
      name: request.name,
      description: request.description ?? null,
      scopes: request.scopes,
      expiresAt,
      resource: { type: source.kind, id: source.id },
    });
  });
}

/** Access level of the token's bot in the source; 0 if the token was revoked. */
async function levelOf(db: Db, source: Source, token: AccessToken): Promise<number> {
  return (await findDirect(db, source, token.user_id))?.access_level ?? AccessLevel.none;
}

/** Refuses to rotate tokens with a higher level than the caller's. @throws ApiError 400 */
async function requireRotatable(db: Db, source: Source, own: EffectiveMembership, token: AccessToken): Promise<void> {
  if ((await levelOf(db, source, token)) <= own.level) return;
  throw badRequest('Not eligible to rotate token with access level higher than the user');
}

/**
 * Rotates a token; its bot is kept.
 * @param own membership of the caller at authorization
 * @throws ApiError 400; 401, 403 or 404 if the right was lost meanwhile
 */
export async function rotateResourceToken(
  deps: Deps,
  { caller, source }: Pick<Change, 'caller' | 'source'>,
  own: EffectiveMembership,
  token: AccessToken,
  expiresAt: string | null | undefined,
): Promise<IssuedToken> {
  await requireRotatable(deps.db, source, own, token);
  return rotateToken(deps, token, expiresAt, async (db) => {
    await requireRotatable(db, source, await revalidateSourceAbility(deps, db, caller, source, MANAGE_TOKENS), token);
  });
}

/**
 * Revokes a token with all its predecessors and successors, and removes the bot's membership. The bot is blocked, not
 * deleted, so that its contributions keep their author.
 */
export async function revokeResourceToken(deps: Deps, change: Change, token: AccessToken): Promise<void> {
  const { source, actor } = change;
  await deps.db.transaction().execute(async (db) => {
    await revalidateSourceAbility(deps, db, change.caller, source, MANAGE_TOKENS);
    await revokeToken(deps, db, token.id);
    await revokeFamily(deps, db, token);
    const member = await findDirect(db, source, token.user_id);
    if (member === undefined) return;
    await db.deleteFrom('members').where('user_id', '=', token.user_id).execute();
    await db.updateTable('users').set({ state: 'blocked' }).where('id', '=', token.user_id).execute();
    await recordMember(deps, db, 'member.removed', member, actor.id);
  });
}
