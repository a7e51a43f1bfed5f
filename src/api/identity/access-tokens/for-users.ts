import { arePersonalTokensOff } from '../../../access/personal-tokens.ts';
import { ADMIN_SCOPES } from '../../../access/token-scopes.ts';
import { forbidden, invalidModel } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userById } from '../users/users.find.ts';
import { expiryOf, type IssuedToken, issueToken } from './access-tokens.writes.ts';

export interface TokenRequest {
  name: string;
  scopes: readonly string[];
  description?: string | null | undefined;
  expiresAt: string | null | undefined;
  /** Default lifetime in days; the maximum when absent. */
  fallbackDays?: number;
  impersonation?: boolean;
}

/**
 * Creates a personal or impersonation token for a user.
 * @throws ApiError 400 for scopes that the user cannot have or a date too far away, 403 for bots and inactive users
 */
export async function createToken(deps: Deps, user: User, request: TokenRequest): Promise<IssuedToken> {
  if (request.scopes.length === 0) throw invalidModel({ scopes: ["can't be blank"] });
  if (user.admin === 0 && request.scopes.some((scope) => ADMIN_SCOPES.includes(scope))) {
    throw invalidModel({ scopes: ['can only contain available scopes'] });
  }
  if (user.kind !== 'human' && user.kind !== 'service_account') throw forbidden();
  if (arePersonalTokensOff(deps, user, { impersonation: bit(request.impersonation ?? false) })) {
    throw forbidden('Personal access tokens are disabled on this server.');
  }
  const input = {
    userId: user.id,
    name: request.name,
    description: request.description ?? null,
    scopes: request.scopes,
    expiresAt: await expiryOf(deps, request.expiresAt, request.fallbackDays),
    impersonation: request.impersonation ?? false,
  };
  return deps.db.transaction().execute((db) => issueToken(deps, db, input));
}

/** As `createToken`, for a user given by id. @throws ApiError 404 */
export async function createTokenFor(deps: Deps, userId: number, request: TokenRequest): Promise<IssuedToken> {
  return createToken(deps, await userById(deps.db, userId), request);
}
