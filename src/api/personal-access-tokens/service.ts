import type { UserCaller } from '../../access/caller.ts';
import { ApiError, forbidden, invalidModel, notFound, unauthorized } from '../../core/errors.ts';
import type { AccessToken } from '../../db/tables/tokens.ts';
import type { User } from '../../db/tables/users.ts';
import type { Deps } from '../../deps.ts';
import { ADMIN_SCOPES } from '../access-tokens/scopes.ts';
import { expiryOf, type IssuedToken, issueToken } from '../access-tokens/service.ts';
import { userById } from '../users/find.ts';

/**
 * The token of an id, when the caller may manage it: people their own, administrators everyone's.
 * @throws ApiError 401, or 404 for administrators, who alone learn that there is none
 */
export async function manageableToken(deps: Deps, caller: UserCaller, id: number): Promise<AccessToken> {
  const token = await deps.db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
  if (caller.admin) {
    if (token === undefined) throw notFound();
    return token;
  }
  if (token === undefined || token.user_id !== caller.user.id || token.impersonation === 1) throw unauthorized();
  return token;
}

/** The access token that the request was made with. @throws ApiError 405 when it was made with another credential */
export async function callersToken(deps: Deps, caller: UserCaller): Promise<AccessToken> {
  const { credential } = caller;
  if (credential.kind !== 'access_token') throw new ApiError(405, '405 Method Not Allowed');
  const { id } = credential.token;
  return deps.db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export interface TokenRequest {
  name: string;
  scopes: readonly string[];
  description?: string | null | undefined;
  expiresAt: string | null | undefined;
  /** Days of life when no day is named; the longest life when absent. */
  fallbackDays?: number;
  impersonation?: boolean;
}

/**
 * Makes a personal or impersonation token for a user.
 * @throws ApiError 400 for scopes the user cannot use or a day too far away, 403 for bots and users who may not sign in
 */
export async function createToken(deps: Deps, user: User, request: TokenRequest): Promise<IssuedToken> {
  if (request.scopes.length === 0) throw invalidModel({ scopes: ["can't be blank"] });
  if (user.admin === 0 && request.scopes.some((scope) => ADMIN_SCOPES.includes(scope))) {
    throw invalidModel({ scopes: ['can only contain available scopes'] });
  }
  if (user.kind !== 'human' && user.kind !== 'service_account') throw forbidden();
  return issueToken(deps.db, deps.clock, {
    userId: user.id,
    name: request.name,
    description: request.description ?? null,
    scopes: request.scopes,
    expiresAt: expiryOf(deps.clock, request.expiresAt, request.fallbackDays),
    impersonation: request.impersonation ?? false,
  });
}

/** The same for the user of an id. @throws ApiError 404 */
export async function createTokenFor(deps: Deps, userId: number, request: TokenRequest): Promise<IssuedToken> {
  return createToken(deps, await userById(deps.db, userId), request);
}
