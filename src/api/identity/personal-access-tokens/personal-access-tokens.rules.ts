import type { UserCaller } from '../../../access/caller.ts';
import { ApiError, notFound, unauthorized } from '../../../core/core.errors.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { type OwnedObject, onOwned } from '../../object-access.ts';
import { tokenId } from './personal-access-tokens.inputs.ts';

/** Personal access tokens by id. Only administrators get 404 for an unknown id; others get 401. */
const PERSONAL_TOKEN: OwnedObject<typeof tokenId.properties, { token: AccessToken }> = {
  noun: 'token',
  params: tokenId.properties,
  find: async ({ db }, { admin }, { id }) => {
    const token = await db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
    if (token === undefined || (token.impersonation === 1 && !admin)) throw admin ? notFound() : unauthorized();
    return { token };
  },
  owner: ({ token }) => token.user_id,
};

/** Access for callers who may read a token, or rotate and revoke it; the token is in the handler context. */
export const tokenReader = onOwned(PERSONAL_TOKEN, 'read_token', unauthorized);
export const tokenManager = onOwned(PERSONAL_TOKEN, 'manage_token', unauthorized);

/** The access token of the request. @throws ApiError 405 if the request has another kind of credential */
export async function callersToken(deps: Deps, caller: UserCaller): Promise<AccessToken> {
  const { credential } = caller;
  if (credential.kind !== 'access_token') throw new ApiError(405, '405 Method Not Allowed');
  const { id } = credential.token;
  return deps.db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
