import type { UserCaller } from '../../../access/caller.ts';
import { ApiError, notFound, unauthorized } from '../../../core/core.errors.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { type OwnedObject, onOwned } from '../../object-access.ts';
import { tokenId } from './personal-access-tokens.inputs.ts';

/** Personal access tokens by their ids. Administrators alone learn that there is none; others get 401. */
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

/** Whoever may look at a token, and whoever may rotate and revoke it; handlers find it in their context. */
export const tokenReader = onOwned(PERSONAL_TOKEN, 'read_token', unauthorized);
export const tokenManager = onOwned(PERSONAL_TOKEN, 'manage_token', unauthorized);

/** The access token that the request was made with. @throws ApiError 405 when it was made with another credential */
export async function callersToken(deps: Deps, caller: UserCaller): Promise<AccessToken> {
  const { credential } = caller;
  if (credential.kind !== 'access_token') throw new ApiError(405, '405 Method Not Allowed');
  const { id } = credential.token;
  return deps.db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
