import type { UserCaller } from '../../../access/caller.ts';
import { ApiError, notFound, unauthorized } from '../../../core/errors.ts';
import type { AccessToken } from '../../../db/tables/tokens.ts';
import type { Deps } from '../../../deps.ts';

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
