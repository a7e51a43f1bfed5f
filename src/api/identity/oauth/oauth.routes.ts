import { Type } from 'typebox';
import { OAUTH_SCOPES } from '../../../access/token-scopes.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Nullable, optional, Secret } from '../../../http/http.schema.ts';
import { openAbility, signedIn } from '../../api.access.ts';
import { provenClient, readClient } from './clients.ts';
import { oauthError } from './oauth.errors.ts';
import { describeGrant, grantByPassword, grantByRefresh, revokeGrant } from './oauth.tokens.ts';

const GrantAnswer = Type.Object({
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
  refresh_token: Type.String(),
  scope: Type.String(),
  created_at: Type.Integer({ description: 'Time of creation, in seconds since 1970.' }),
});

const TokenInfo = Type.Object({
  resource_owner_id: Type.Integer(),
  scope: Type.Array(Type.String()),
  expires_in: Nullable(Type.Integer()),
  application: Type.Object({ uid: Nullable(Type.String()) }),
  created_at: Type.Integer(),
  scopes: Type.Array(Type.String()),
  expires_in_seconds: Nullable(Type.Integer()),
});

const clientFields = { client_id: Type.String(), client_secret: Secret() };

/** The application that makes the request; null if the request names none. */
async function clientOf({ deps, request }: BaseContext, input: { client_id?: string; client_secret?: string }) {
  const credentials = readClient(request.headers.authorization, input);
  return credentials === undefined ? null : provenClient(deps, credentials);
}

/** OAuth 2 at the root of the server (part 1, section 5.8). */
export const oauthRoutes = [
  route({
    method: 'POST',
    root: true,
    tag: 'OAuth',
    path: '/oauth/token',
    summary: 'Get tokens for a user name and password, or for a refresh token',
    access: openAbility('request_oauth_token'),
    signsIn: true,
    duringMaintenance: true,
    input: optional({
      ...clientFields,
      grant_type: Type.String({ description: '`password` or `refresh_token`.' }),
      username: Type.String(),
      password: Secret(),
      refresh_token: Secret(),
      scope: Type.String({ description: 'Scopes, separated by spaces; defaults to `api`.' }),
    }),
    success: { status: 200, schema: GrantAnswer },
    errors: [400, 401, 429],
    handler: async (context) => {
      const { deps, input, reply, request } = context;
      const { grant_type: type, username, password, refresh_token: refreshToken, scope } = input;
      if (type === undefined || type === '') throw oauthError('invalid_request');
      if (type !== 'password' && type !== 'refresh_token') throw oauthError('unsupported_grant_type');
      const application = await clientOf(context, input);
      reply.header('Cache-Control', 'no-store');
      if (type === 'password') {
        if (username === undefined || password === undefined) throw oauthError('invalid_request');
        return grantByPassword(deps, application, { username, password, scope, ip: request.ip });
      }
      if (refreshToken === undefined || refreshToken === '') throw oauthError('invalid_request');
      return grantByRefresh(deps, application, refreshToken);
    },
  }),
  route({
    method: 'GET',
    root: true,
    tag: 'OAuth',
    path: '/oauth/token/info',
    operationId: 'getOauthTokenInfo',
    summary: 'Describe the OAuth token of the request',
    access: signedIn,
    scopes: OAUTH_SCOPES,
    success: { status: 200, schema: TokenInfo },
    handler: async ({ deps, caller }) => {
      if (caller.credential.kind !== 'oauth') throw oauthError('invalid_token');
      return describeGrant(deps, caller.credential.tokenId);
    },
  }),
  route({
    method: 'POST',
    root: true,
    tag: 'OAuth',
    path: '/oauth/revoke',
    operationId: 'revokeOauthToken',
    summary: 'Revoke an OAuth token',
    description: 'An unknown token is not an error.',
    access: openAbility('revoke_oauth_token'),
    duringMaintenance: true,
    input: optional({ ...clientFields, token: Secret(), token_type_hint: Type.String() }),
    success: { status: 200, schema: Type.Object({}) },
    errors: [400, 401, 403],
    handler: async (context) => {
      const { deps, input } = context;
      if (input.token === undefined || input.token === '') throw oauthError('invalid_request');
      await revokeGrant(deps, await clientOf(context, input), input.token);
      return {};
    },
  }),
];
