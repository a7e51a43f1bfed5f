import { today } from '../core/clock.ts';
import { ApiError, forbidden } from '../core/core.errors.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import { parseJson } from '../db/columns.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';
import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { OauthToken } from '../db/tables/oauth-tokens.table.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './caller.ts';
import { userOfId } from './find-by-id.ts';
import { arePersonalTokensOff } from './personal-tokens.ts';

const headersOf = (error: string, description: string) => ({
  'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="${error}", error_description="${description}"`,
});

/** A token error in the words of part 1, section 7 and RFC 6750. */
export const tokenError = (status: 401 | 403, error: string, description: string, scope?: string): ApiError =>
  new ApiError(
    status,
    description,
    { error, error_description: description, ...(scope === undefined ? {} : { scope }) },
    headersOf(error, description),
  );

const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.';
const DISABLED = 'Personal access tokens are disabled on this server.';
const REVOKED = 'Token was revoked. You have to re-authorize from the user.';

/** 401 for a revoked access token; carries the token, for endpoints that treat its use as a sign of theft. */
export class RevokedToken extends ApiError {
  readonly token: AccessToken;

  constructor(token: AccessToken) {
    super(401, REVOKED, { error: 'invalid_token', error_description: REVOKED }, headersOf('invalid_token', REVOKED));
    this.token = token;
  }
}

type TokenWithUser =
  | { kind: 'access_token'; token: AccessToken; user: User; scopes: string[] }
  | { kind: 'oauth'; token: OauthToken; user: User; scopes: string[] };

const tokenOfDigest = cachedUntilWrite((db, { digest }: { digest: string }) =>
  db.selectFrom('access_tokens').selectAll().where('digest', '=', digest),
);

function findToken(deps: Deps, digest: string): Promise<TokenWithUser | undefined> {
  return deps.snapshot.get(`token:${digest}`, async (): Promise<TokenWithUser | undefined> => {
    const [token] = await tokenOfDigest(deps.db, { digest });
    if (token !== undefined) {
      const [user] = await userOfId(deps.db, { id: token.user_id });
      return user && { kind: 'access_token', token, user, scopes: parseJson<string[]>(token.scopes) };
    }
    const oauth = await deps.db.selectFrom('oauth_tokens').selectAll().where('digest', '=', digest).executeTakeFirst();
    if (oauth === undefined) return undefined;
    const [user] = await userOfId(deps.db, { id: oauth.user_id });
    return user && { kind: 'oauth', token: oauth, user, scopes: parseJson<string[]>(oauth.scopes) };
  });
}

/** Makes the user a caller; refuses users who may not sign in. @throws ApiError 403 */
export function checkUserState(user: User): void {
  switch (user.state) {
    case 'active':
      return;
    case 'blocked_pending_approval':
      throw forbidden('Your account is pending approval from your administrator and hence blocked.');
    case 'deactivated':
      throw forbidden('Your account has been deactivated by your administrator. Please log back in to reactivate it.');
    default:
      throw forbidden('Your account has been blocked.');
  }
}

/**
 * Authenticates an access token (part 1, section 5).
 * @param token as sent by the client
 * @returns undefined for unknown tokens
 * @throws ApiError 401 for an expired or revoked token, 403 for a blocked user
 */
export async function callerOfToken(deps: Deps, token: string, address: string): Promise<Caller | undefined> {
  const authenticated = await findToken(deps, tokenDigest(token));
  if (authenticated === undefined) return undefined;
  const { user, scopes } = authenticated;
  if (authenticated.kind === 'access_token') {
    if (authenticated.token.revoked === 1) throw new RevokedToken(authenticated.token);
    if (authenticated.token.expires_at !== null && authenticated.token.expires_at <= today(deps.clock)) {
      throw tokenError(401, 'invalid_token', EXPIRED);
    }
    if (arePersonalTokensOff(deps, user, authenticated.token)) throw tokenError(401, 'invalid_token', DISABLED);
    checkUserState(user);
    const credential = { kind: 'access_token', token: authenticated.token } as const;
    const caller = { user, admin: user.admin === 1, scopes, credential, sudoBy: null };
    await recordTokenUse(deps, caller, address);
    return caller;
  }
  const { revoked_at, expires_in, created_at, id, application_id } = authenticated.token;
  if (revoked_at !== null) throw tokenError(401, 'invalid_token', REVOKED);
  if (expires_in !== null && Date.parse(created_at) + expires_in * 1000 <= deps.clock.now().getTime()) {
    throw tokenError(401, 'invalid_token', EXPIRED);
  }
  checkUserState(user);
  return {
    user,
    admin: user.admin === 1,
    scopes,
    credential: { kind: 'oauth', tokenId: id, applicationId: application_id },
    sudoBy: null,
  };
}

const NOTE_USE_MS = 10 * 60_000;
const MAX_IPS = 5;

/** Time until which `recordTokenUse` has nothing to record, in milliseconds since 1970. */
export function useIsRecordedUntil({ credential }: Caller): number {
  if (credential.kind !== 'access_token') return Number.POSITIVE_INFINITY;
  const { last_used_at: last } = credential.token;
  return last === null ? 0 : Date.parse(last) + NOTE_USE_MS;
}

/** Records `last_used_at` of an access token and the last activity of its user, at most every ten minutes. */
export async function recordTokenUse(deps: Deps, { credential, user }: Caller, address: string): Promise<void> {
  if (credential.kind !== 'access_token' || user === null) return;
  const { token } = credential;
  const now = deps.clock.now();
  // A clock that ran ahead may have recorded a time in the future.
  if (token.last_used_at !== null && Math.abs(now.getTime() - Date.parse(token.last_used_at)) < NOTE_USE_MS) return;
  const ips = parseJson<string[]>(token.last_used_ips).filter((ip) => ip !== address);
  await deps.db
    .updateTable('access_tokens')
    .set({ last_used_at: now.toISOString(), last_used_ips: JSON.stringify([address, ...ips].slice(0, MAX_IPS)) })
    .where('id', '=', token.id)
    .execute();
  const day = today(deps.clock);
  if (user.last_activity_on !== day) {
    await deps.db.updateTable('users').set({ last_activity_on: day }).where('id', '=', user.id).execute();
  }
}
