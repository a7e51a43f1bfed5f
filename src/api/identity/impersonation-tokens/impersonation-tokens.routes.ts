import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';
import { tokensMatching } from '../access-tokens/access-tokens.list.ts';
import { ImpersonationToken, ImpersonationTokenWithSecret } from '../access-tokens/access-tokens.responses.ts';
import { presentToken, presentTokenWithUse } from '../access-tokens/access-tokens.views.ts';
import { revokeToken } from '../access-tokens/access-tokens.writes.ts';
import { createTokenFor } from '../access-tokens/for-users.ts';
import { newToken } from '../personal-access-tokens/personal-access-tokens.inputs.ts';
import { userById } from '../users/users.find.ts';

const ofUser = Type.Object({ user_id: Type.Integer() });
const ofToken = Type.Object({ user_id: Type.Integer(), impersonation_token_id: Type.Integer() });
const LIST = '/users/:user_id/impersonation_tokens';
const ONE = `${LIST}/:impersonation_token_id`;

/** @throws ApiError 404 */
async function findToken({ db }: Deps, userId: number, id: number): Promise<AccessToken> {
  await userById(db, userId);
  const token = await tokenOfUser(db, userId, id);
  if (token === undefined) throw notFound('Impersonation Token');
  return token;
}

const tokenOfUser = (db: Deps['db'], userId: number, id: number) =>
  db
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('impersonation', '=', 1)
    .executeTakeFirst();

/** Impersonation tokens: administrators act as another user (part 1, section 5.8). */
export const impersonationTokenRoutes = [
  route({
    method: 'GET',
    path: LIST,
    summary: "List a user's impersonation tokens",
    access: administrator,
    params: ofUser,
    input: Type.Object({ state: Type.Optional(Enum(['all', 'active', 'inactive'])), ...pagination }),
    success: { status: 200, schema: Type.Array(ImpersonationToken) },
    errors: [404],
    handler: async (c) => {
      const { id: userId } = await userById(c.deps.db, c.params.user_id);
      const { state = 'all' } = c.input;
      const filters = state === 'all' ? {} : { state };
      const query = tokensMatching(c.deps.db, c.deps.clock, { userId, impersonation: true }, filters);
      return c.page(query, (rows) =>
        rows.map((row) => ({ ...presentTokenWithUse(row, c.deps.clock), impersonation: true })),
      );
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: "Get a user's impersonation token",
    access: administrator,
    params: ofToken,
    success: { status: 200, schema: ImpersonationToken },
    errors: [404],
    handler: async ({ deps, params }) => {
      const token = await findToken(deps, params.user_id, params.impersonation_token_id);
      return { ...presentTokenWithUse(token, deps.clock), impersonation: true };
    },
  }),
  route({
    method: 'POST',
    path: LIST,
    summary: 'Create an impersonation token',
    access: onServer('admin_user_tokens'),
    params: ofUser,
    input: newToken,
    success: { status: 201, schema: ImpersonationTokenWithSecret },
    errors: [400, 404],
    handler: async ({ deps, params, input }) => {
      const attributes = { ...input, expiresAt: input.expires_at, impersonation: true };
      const { row, token } = await createTokenFor(deps, params.user_id, attributes);
      return { ...presentToken(row, deps.clock), impersonation: true, token };
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Revoke an impersonation token',
    access: onServer('admin_user_tokens'),
    params: ofToken,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, params }) => {
      const { id } = await findToken(deps, params.user_id, params.impersonation_token_id);
      await deps.db.transaction().execute((db) => revokeToken(deps, db, id));
    },
  }),
];
