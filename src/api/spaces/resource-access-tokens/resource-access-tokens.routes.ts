import { type Static, Type } from 'typebox';
import { describeGroupAbility, describeProjectAbility } from '../../../access/ability-words.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { ApiError, notFound, unauthorized } from '../../../core/core.errors.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Access, type Route, route } from '../../../http/http.route.ts';
import { Day, Enum, Filled, IntegerEnum, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import {
  type IssuedToken,
  presentIssued,
  presentTokenWithUse,
  RESOURCE_SCOPES,
  ResourceToken,
  ResourceTokenWithSecret,
  revokeFamily,
  rotateToken,
  tokenFilters,
  tokensMatching,
} from '../../identity/index.ts';
import { changeOf } from '../members/members.writes.ts';
import { inSource, type Source, type SourceKind, type SourceScope } from '../spaces.source.ts';
import {
  createResourceToken,
  MANAGE_TOKENS,
  revokeResourceToken,
  rotateResourceToken,
} from './resource-access-tokens.writes.ts';

const ROTATE = { project: 'rotate_own_access_token', group: 'rotate_own_group_access_token' } as const;
const SEE = { project: 'read_project', group: 'read_group' } as const;

const tokenId = Type.Object({ token_id: Type.Integer({ description: 'Id of the token.' }) });
const rotation = Type.Object({
  expires_at: Type.Optional(Nullable(Day({ description: 'Expiration date of the new token; in a week when absent.' }))),
});
const newToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(RESOURCE_SCOPES)),
  ...optional({
    description: Nullable(Type.String({ maxLength: 255 })),
    expires_at: Nullable(Day({ description: 'Expiration date; at most 365 days from now, which is the default.' })),
    access_level: IntegerEnum([10, 15, 20, 30, 40, 50], { default: 40, description: 'Access level of the bot user.' }),
  }).properties,
});

const resourceOf = ({ kind, id }: Source) => ({ type: kind, id });

/** Adds the source and the access level of its bot to each token; one query in total. */
async function withLevels<T extends { user_id: number }>(deps: Deps, source: Source, tokens: readonly T[]) {
  const bots = tokens.map(({ user_id }) => user_id);
  const members = await deps.db
    .selectFrom('members')
    .select(['user_id', 'access_level'])
    .where('source_type', '=', source.kind)
    .where('source_id', '=', source.id)
    .where('user_id', 'in', bots.length === 0 ? [0] : bots)
    .execute();
  const levels = new Map(members.map(({ user_id, access_level }) => [user_id, access_level]));
  return tokens.map((token) => ({
    ...token,
    access_level: levels.get(token.user_id) ?? AccessLevel.none,
    resource_type: source.kind,
    resource_id: source.id,
  }));
}

async function answerIssued(deps: Deps, source: Source, issued: IssuedToken) {
  const [shown] = await withLevels(deps, source, [presentIssued(issued, deps.clock)]);
  return shown;
}

/** @throws ApiError 404 */
async function findToken(deps: Deps, source: Source, id: number): Promise<AccessToken> {
  const query = tokensMatching(deps.db, deps.clock, { resource: resourceOf(source) }, {});
  const token = await query.where('id', '=', id).executeTakeFirst();
  if (token === undefined) throw notFound(`Could not find ${source.kind} access token with token_id: ${id}`);
  return token;
}

/** Access tokens of the project or group, for requests about themselves. */
function byToken(kind: SourceKind): Access<SourceScope & { tokenId: number }> {
  const access = inSource(kind, SEE, { refusal: unauthorized });
  return {
    ...access,
    description:
      kind === 'project' ? describeProjectAbility(ROTATE[kind], 'token') : describeGroupAbility(ROTATE[kind], 'token'),
    ability: ROTATE[kind],
    writes: true,
    check: async (request) => {
      const scope = await access.check(request);
      const { credential } = request.caller;
      if (credential.kind !== 'access_token') throw new ApiError(405, '405 Method Not Allowed');
      const { resource_type, resource_id, id } = credential.token;
      const own = resource_type === kind && resource_id === scope.source.id;
      if (!scope.can(ROTATE, own ? { as: 'bearer' } : {})) throw unauthorized();
      return { ...scope, tokenId: id };
    },
  };
}

function readRoutes(kind: SourceKind, path: string): Route[] {
  const access = inSource(kind, MANAGE_TOKENS, { refusal: unauthorized });
  return [
    route({
      method: 'GET',
      path,
      summary: `List the access tokens of a ${kind}`,
      access,
      input: Type.Object({ ...optional(tokenFilters).properties, ...pagination }),
      success: { status: 200, schema: Type.Array(ResourceToken) },
      handler: (c) => {
        const query = tokensMatching(c.deps.db, c.deps.clock, { resource: resourceOf(c.source) }, c.input);
        return c.page(query, (rows) =>
          withLevels(
            c.deps,
            c.source,
            rows.map((row) => presentTokenWithUse(row, c.deps.clock)),
          ),
        );
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:token_id`,
      summary: `Get an access token of a ${kind}`,
      access,
      params: tokenId,
      success: { status: 200, schema: ResourceToken },
      handler: async ({ deps, source, params }) => {
        const token = await findToken(deps, source, params.token_id);
        return (await withLevels(deps, source, [presentTokenWithUse(token, deps.clock)]))[0];
      },
    }),
  ];
}

function writeRoutes(kind: SourceKind, path: string): Route[] {
  const access = inSource(kind, MANAGE_TOKENS, { refusal: unauthorized });
  return [
    route({
      method: 'POST',
      path,
      summary: `Create an access token of a ${kind}`,
      access,
      input: newToken,
      success: { status: 201, schema: ResourceTokenWithSecret },
      handler: async (c) => {
        const input: Static<typeof newToken> = c.input;
        const issued = await createResourceToken(c.deps, changeOf(c), {
          ...input,
          expiresAt: input.expires_at,
          accessLevel: input.access_level ?? AccessLevel.maintainer,
        });
        return answerIssued(c.deps, c.source, issued);
      },
    }),
    route({
      method: 'POST',
      path: `${path}/:token_id/rotate`,
      summary: `Rotate an access token of a ${kind}`,
      description: 'Revokes the token and creates a successor. Rotating a revoked token revokes its whole family.',
      access,
      params: tokenId,
      input: rotation,
      success: { status: 200, schema: ResourceTokenWithSecret },
      handler: async (c) => {
        const token = await findToken(c.deps, c.source, c.params.token_id);
        const { expires_at: expiresAt } = c.input;
        return answerIssued(
          c.deps,
          c.source,
          await rotateResourceToken(c.deps, changeOf(c), c.standing, token, expiresAt),
        );
      },
    }),
    route({
      method: 'POST',
      path: `${path}/self/rotate`,
      summary: `Rotate the ${kind} access token that authenticates the request`,
      description: 'If the token was already rotated, its whole family is revoked.',
      access: byToken(kind),
      scopes: ['self_rotate'],
      input: rotation,
      success: { status: 200, schema: ResourceTokenWithSecret },
      errors: [405],
      onRevokedToken: (deps, token) => deps.db.transaction().execute((db) => revokeFamily(deps, db, token)),
      handler: async (c) => {
        const token = await findToken(c.deps, c.source, c.tokenId);
        return answerIssued(c.deps, c.source, await rotateToken(c.deps, token, c.input.expires_at));
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:token_id`,
      summary: `Revoke an access token of a ${kind}`,
      access,
      params: tokenId,
      success: { status: 204, empty: true },
      handler: async (c) => {
        const token = await findToken(c.deps, c.source, c.params.token_id);
        await revokeResourceToken(c.deps, changeOf(c), token);
      },
    }),
  ];
}

/** Access tokens of projects and groups, each with a bot user (part 1, section 5.8). */
export const resourceAccessTokenRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((kind) => {
  const path = `/${kind}s/:id/access_tokens`;
  return [...readRoutes(kind, path), ...writeRoutes(kind, path)];
});
