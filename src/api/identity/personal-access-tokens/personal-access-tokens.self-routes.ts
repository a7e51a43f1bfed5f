import { Type } from 'typebox';
import { PERSONAL_SCOPES } from '../../../access/token-scopes.ts';
import { MEMBER_LEVELS } from '../../../core/access-levels.ts';
import { route } from '../../../http/http.route.ts';
import { IntegerEnum, pagination } from '../../../http/http.schema.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { PersonalToken, PersonalTokenWithSecret } from '../access-tokens/access-tokens.responses.ts';
import { presentIssued, presentTokenWithUse } from '../access-tokens/access-tokens.views.ts';
import { revokeFamily, revokeToken, rotateToken } from '../access-tokens/access-tokens.writes.ts';
import { Associations, associationsOf } from './associations.ts';
import { rotation } from './personal-access-tokens.inputs.ts';
import { callersToken } from './personal-access-tokens.rules.ts';

/** Routes of a token about itself. A token of any scope may read and revoke itself. */
export const selfTokenRoutes = [
  route({
    method: 'GET',
    path: '/personal_access_tokens/self',
    summary: 'Get the access token of the request',
    access: signedIn,
    scopes: PERSONAL_SCOPES,
    success: { status: 200, schema: PersonalToken },
    errors: [405],
    handler: async ({ deps, caller }) => presentTokenWithUse(await callersToken(deps, caller), deps.clock),
  }),
  route({
    method: 'GET',
    path: '/personal_access_tokens/self/associations',
    summary: 'List the groups and projects that the token can access',
    access: signedIn,
    scopes: PERSONAL_SCOPES,
    input: Type.Object({ min_access_level: Type.Optional(IntegerEnum(MEMBER_LEVELS)), ...pagination }),
    success: { status: 200, schema: Associations },
    handler: (c) => c.page((page) => associationsOf(c.deps, c.caller.user.id, c.input.min_access_level ?? 1, page)),
  }),
  route({
    method: 'POST',
    path: '/personal_access_tokens/self/rotate',
    summary: 'Rotate the access token of the request',
    description: 'A request with a token that was already rotated revokes the whole family of the token.',
    access: onServer('manage_own_token'),
    scopes: ['self_rotate'],
    input: rotation,
    success: { status: 200, schema: PersonalTokenWithSecret },
    errors: [400, 403, 405],
    onRevokedToken: (deps, token) => deps.db.transaction().execute((db) => revokeFamily(deps, db, token)),
    handler: async ({ deps, caller, input }) => {
      return presentIssued(await rotateToken(deps, await callersToken(deps, caller), input.expires_at), deps.clock);
    },
  }),
  route({
    method: 'DELETE',
    path: '/personal_access_tokens/self',
    summary: 'Revoke the access token of the request',
    access: onServer('manage_own_token'),
    scopes: PERSONAL_SCOPES,
    success: { status: 204, empty: true },
    errors: [405],
    handler: async ({ deps, caller }) => {
      const { id } = await callersToken(deps, caller);
      await deps.db.transaction().execute((db) => revokeToken(deps, db, id));
    },
  }),
];
