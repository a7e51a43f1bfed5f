import { Type } from 'typebox';
import { unauthorized } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { optional, pagination } from '../../../http/http.schema.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { tokenFilters, tokensMatching } from '../access-tokens/access-tokens.list.ts';
import { PersonalToken, PersonalTokenWithSecret } from '../access-tokens/access-tokens.responses.ts';
import { presentIssued, presentTokenWithUse } from '../access-tokens/access-tokens.views.ts';
import { revokeToken, rotateToken } from '../access-tokens/access-tokens.writes.ts';
import { createToken, createTokenFor } from '../access-tokens/for-users.ts';
import { newOwnToken, newToken, rotation } from './personal-access-tokens.inputs.ts';
import { tokenManager, tokenReader } from './personal-access-tokens.rules.ts';

export const personalAccessTokenRoutes = [
  route({
    method: 'GET',
    path: '/personal_access_tokens',
    summary: 'List personal access tokens',
    description: 'Administrators see all tokens, other users their own.',
    access: signedIn,
    input: Type.Object({ ...optional({ ...tokenFilters, user_id: Type.Integer() }).properties, ...pagination }),
    success: { status: 200, schema: Type.Array(PersonalToken) },
    handler: (c) => {
      const { user_id: userId = c.caller.admin ? undefined : c.caller.user.id } = c.input;
      if (!c.caller.admin && userId !== c.caller.user.id) throw unauthorized();
      const base = { impersonation: false, ...(userId === undefined ? {} : { userId }) };
      const query = tokensMatching(c.deps.db, c.deps.clock, base, c.input);
      return c.page(query, (rows) => rows.map((row) => presentTokenWithUse(row, c.deps.clock)));
    },
  }),
  route({
    method: 'GET',
    path: '/personal_access_tokens/:id',
    summary: 'Get a personal access token',
    access: tokenReader,
    success: { status: 200, schema: PersonalToken },
    errors: [401, 404],
    handler: ({ deps, token }) => presentTokenWithUse(token, deps.clock),
  }),
  route({
    method: 'POST',
    path: '/personal_access_tokens/:id/rotate',
    summary: 'Rotate a personal access token',
    description:
      'Revokes the token and creates a new one with the same attributes. Rotating a revoked token revokes its whole family.',
    access: tokenManager,
    input: rotation,
    success: { status: 200, schema: PersonalTokenWithSecret },
    errors: [400, 401, 404],
    handler: async ({ deps, token: old, input }) => {
      return presentIssued(await rotateToken(deps, old, input.expires_at), deps.clock);
    },
  }),
  route({
    method: 'DELETE',
    path: '/personal_access_tokens/:id',
    summary: 'Revoke a personal access token',
    access: tokenManager,
    success: { status: 204, empty: true },
    errors: [401, 404],
    handler: ({ deps, token }) => deps.db.transaction().execute((db) => revokeToken(deps, db, token.id)),
  }),
  route({
    method: 'POST',
    path: '/users/:user_id/personal_access_tokens',
    summary: 'Create a personal access token for a user',
    access: onServer('admin_user_tokens'),
    params: Type.Object({ user_id: Type.Integer() }),
    input: newToken,
    success: { status: 201, schema: PersonalTokenWithSecret },
    errors: [400, 404],
    handler: async ({ deps, params, input }) => {
      return presentIssued(
        await createTokenFor(deps, params.user_id, { ...input, expiresAt: input.expires_at }),
        deps.clock,
      );
    },
  }),
  route({
    method: 'POST',
    path: '/user/personal_access_tokens',
    summary: 'Create a personal access token with few scopes for the caller',
    access: onServer('create_own_token'),
    input: newOwnToken,
    success: { status: 201, schema: PersonalTokenWithSecret },
    errors: [400],
    handler: async ({ deps, caller, input }) => {
      const request = { ...input, expiresAt: input.expires_at, fallbackDays: 1 };
      return presentIssued(await createToken(deps, caller.user, request), deps.clock);
    },
  }),
];
