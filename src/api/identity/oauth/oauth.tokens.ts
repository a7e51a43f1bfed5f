import { randomBytes } from 'node:crypto';
import { requiresSecondFactor, userOfPassword } from '../../../access/access.sign-in.ts';
import { OAUTH_SCOPES } from '../../../access/token-scopes.ts';
import { recordFailedSignIn } from '../../../audit/failed-sign-ins.ts';
import { timestamp } from '../../../core/clock.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { OauthApplication } from '../../../db/tables/oauth-applications.table.ts';
import type { OauthToken } from '../../../db/tables/oauth-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { oauthError } from './oauth.errors.ts';

const LIFETIME_SECONDS = 7_200;
/** How long invalid tokens are kept. */
const RETENTION_MS = 30 * 86_400_000;

/** Scopes that a setting can forbid for tokens of administrators. */
const FAR_REACHING: readonly string[] = [
  ...['api', 'read_api', 'sudo'],
  ...['read_repository', 'write_repository', 'read_registry', 'write_registry'],
];

/** A pair of tokens, shown to the client once. */
export interface Grant {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
  created_at: number;
}

async function grant(deps: Deps, db: Db, userId: number, applicationId: number | null, scopes: readonly string[]) {
  const [access, refresh] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const now = deps.clock.now();
  const forgotten = new Date(now.getTime() - RETENTION_MS).toISOString();
  await db.deleteFrom('oauth_tokens').where('user_id', '=', userId).where('revoked_at', '<', forgotten).execute();
  await db
    .insertInto('oauth_tokens')
    .values({
      user_id: userId,
      application_id: applicationId,
      digest: tokenDigest(access),
      refresh_digest: tokenDigest(refresh),
      scopes: JSON.stringify(scopes),
      expires_in: LIFETIME_SECONDS,
      created_at: now.toISOString(),
    })
    .execute();
  const response: Grant = {
    access_token: access,
    token_type: 'Bearer',
    expires_in: LIFETIME_SECONDS,
    refresh_token: refresh,
    scope: scopes.join(' '),
    created_at: Math.floor(now.getTime() / 1000),
  };
  return response;
}

/** Scopes of a new token: the requested ones, or `api`; limited to the scopes of the application. */
function scopesOf(asked: string | undefined, application: OauthApplication | null): string[] {
  const allowed: readonly string[] = application === null ? OAUTH_SCOPES : parseJson<string[]>(application.scopes);
  const requestedScopes = [...new Set((asked ?? '').split(/\s+/).filter(Boolean))];
  if (requestedScopes.length === 0) return allowed.includes('api') ? ['api'] : [...allowed];
  if (!requestedScopes.every((scope) => allowed.includes(scope))) throw oauthError('invalid_scope');
  return requestedScopes;
}

/**
 * Issues tokens for a user name and password (RFC 6749, section 4.3).
 * @param input `ip`: IP address of the request, shown to administrators
 * @throws ApiError 400 `invalid_grant` for wrong credentials and for users who may not sign in, 400 `invalid_scope` for
 *   scopes that the application lacks, 429 after many failures
 */
export async function grantByPassword(
  deps: Deps,
  application: OauthApplication | null,
  input: { username: string; password: string; scope?: string | undefined; ip: string },
): Promise<Grant> {
  const scopes = scopesOf(input.scope, application);
  const user = await userOfPassword(deps, input.username, input.password);
  if (user === undefined) throw oauthError('invalid_grant');
  if (user.state !== 'active' || requiresSecondFactor(deps, user)) {
    await recordFailedSignIn(deps, deps.passwords.reports, input.username, user.id);
    throw oauthError('invalid_grant');
  }
  if (application !== null && user.admin === 1 && deps.settings.now.disable_admin_oauth_scopes) {
    if (scopes.some((scope) => FAR_REACHING.includes(scope))) throw oauthError('invalid_scope');
  }
  return deps.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set({
        last_sign_in_at: user.current_sign_in_at,
        last_sign_in_ip: user.current_sign_in_ip,
        current_sign_in_at: timestamp(deps.clock),
        current_sign_in_ip: input.ip,
      })
      .where('id', '=', user.id)
      .where('state', '=', 'active')
      .where('password_hash', '=', user.password_hash)
      // The check of administrators' scopes was made for this value.
      .where('admin', '=', user.admin)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw oauthError('invalid_grant');
    return grant(deps, db, user.id, application?.id ?? null, scopes);
  });
}

/**
 * Issues new tokens for a refresh token and invalidates the old pair (RFC 6749, section 6). Of two concurrent requests,
 * one succeeds.
 * @throws ApiError 400 `invalid_grant`
 */
export async function grantByRefresh(
  deps: Deps,
  application: OauthApplication | null,
  refreshToken: string,
): Promise<Grant> {
  const refreshDigest = tokenDigest(refreshToken);
  return deps.db.transaction().execute(async (db) => {
    const old = await db
      .updateTable('oauth_tokens')
      .set({ revoked_at: timestamp(deps.clock) })
      .where('refresh_digest', '=', refreshDigest)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (old === undefined || old.application_id !== (application?.id ?? null)) throw oauthError('invalid_grant');
    const user = await db.selectFrom('users').select('state').where('id', '=', old.user_id).executeTakeFirstOrThrow();
    if (user.state !== 'active') throw oauthError('invalid_grant');
    return grant(deps, db, old.user_id, old.application_id, parseJson<string[]>(old.scopes));
  });
}

/**
 * Revokes the pair of an access or refresh token (RFC 7009); unknown tokens are not an error.
 * @throws ApiError 403 if it was issued to another client
 */
export async function revokeGrant(deps: Deps, application: OauthApplication | null, token: string): Promise<void> {
  const digest = tokenDigest(token);
  const pair = await deps.db
    .selectFrom('oauth_tokens')
    .selectAll()
    .where((eb) => eb.or([eb('digest', '=', digest), eb('refresh_digest', '=', digest)]))
    .executeTakeFirst();
  if (pair === undefined) return;
  if (pair.application_id !== null && pair.application_id !== application?.id) throw oauthError('unauthorized_client');
  await deps.db
    .updateTable('oauth_tokens')
    .set({ revoked_at: timestamp(deps.clock) })
    .where('id', '=', pair.id)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Describes an access token to its client. */
export async function describeGrant(deps: Deps, tokenId: number) {
  const token: OauthToken = await deps.db
    .selectFrom('oauth_tokens')
    .selectAll()
    .where('id', '=', tokenId)
    .executeTakeFirstOrThrow();
  const application =
    token.application_id === null
      ? undefined
      : await deps.db
          .selectFrom('oauth_applications')
          .select('uid')
          .where('id', '=', token.application_id)
          .executeTakeFirst();
  const created = Math.floor(Date.parse(token.created_at) / 1000);
  const left =
    token.expires_in === null ? null : created + token.expires_in - Math.floor(deps.clock.now().getTime() / 1000);
  const scopes = parseJson<string[]>(token.scopes);
  return {
    resource_owner_id: token.user_id,
    scope: scopes,
    expires_in: left,
    application: { uid: application?.uid ?? null },
    created_at: created,
    scopes,
    expires_in_seconds: left,
  };
}
