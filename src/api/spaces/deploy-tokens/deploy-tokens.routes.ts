import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { DeployToken as DeployTokenRow } from '../../../db/tables/deploy-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { administrator } from '../../api.access.ts';
import { changeOf } from '../members/members.writes.ts';
import { inSource, type Source, type SourceKind } from '../spaces.source.ts';
import { newDeployToken } from './deploy-tokens.inputs.ts';
import { deployTokens } from './deploy-tokens.queries.ts';
import { DeployToken, DeployTokenWithSecret } from './deploy-tokens.responses.ts';
import { presentDeployToken } from './deploy-tokens.views.ts';
import { createDeployToken, MANAGE_DEPLOY_TOKENS, removeDeployToken } from './deploy-tokens.writes.ts';

const READ = { project: 'admin_deploy_tokens', group: 'read_group_deploy_tokens' } as const;

const tokenId = Type.Object({ token_id: Type.Integer({ description: 'Id of the deploy token.' }) });
const filters = Type.Object({
  active: Type.Optional(Type.Boolean({ description: 'Only active, or only revoked and expired, tokens.' })),
  ...pagination,
});

function answerList(c: BaseContext, source: Source | null, active?: boolean) {
  return c.page(deployTokens(c.deps.db, c.deps.clock, source, active), (rows) =>
    rows.map((row) => presentDeployToken(c.deps, row)),
  );
}

/** @throws ApiError 404 */
async function findToken({ db, clock }: Deps, source: Source, id: number): Promise<DeployTokenRow> {
  const token = await deployTokens(db, clock, source).where('id', '=', id).executeTakeFirst();
  if (token === undefined) throw notFound('Deploy Token');
  return token;
}

function routesFor(kind: SourceKind): Route[] {
  const path = `/${kind}s/:id/deploy_tokens`;
  return [
    route({
      method: 'GET',
      path,
      summary: `List the deploy tokens of a ${kind}`,
      access: inSource(kind, READ),
      input: filters,
      success: { status: 200, schema: Type.Array(DeployToken) },
      handler: (c) => answerList(c, c.source, c.input.active),
    }),
    route({
      method: 'GET',
      path: `${path}/:token_id`,
      summary: `Get a deploy token of a ${kind}`,
      access: inSource(kind, READ),
      params: tokenId,
      success: { status: 200, schema: DeployToken },
      handler: async ({ deps, source, params }) =>
        presentDeployToken(deps, await findToken(deps, source, params.token_id)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Create a deploy token of a ${kind}`,
      access: inSource(kind, MANAGE_DEPLOY_TOKENS),
      input: newDeployToken,
      success: { status: 201, schema: DeployTokenWithSecret },
      handler: async (c) => {
        const { name, scopes, expires_at: expiresAt = null, username } = c.input;
        const input = { name, scopes, expiresAt, username };
        const { row, token } = await createDeployToken(c.deps, changeOf(c), input);
        return { ...presentDeployToken(c.deps, row), token };
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:token_id`,
      summary: `Delete a deploy token of a ${kind}`,
      access: inSource(kind, MANAGE_DEPLOY_TOKENS),
      params: tokenId,
      success: { status: 204, empty: true },
      errors: [412],
      handler: async (c) => {
        const token = await findToken(c.deps, c.source, c.params.token_id);
        checkUnmodifiedSince(c.request, token.created_at);
        await removeDeployToken(c.deps, changeOf(c), token);
      },
    }),
  ];
}

/** Tokens with access to repositories and packages of a project or group. */
export const deployTokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/deploy_tokens',
    summary: 'List all deploy tokens',
    access: administrator,
    input: filters,
    success: { status: 200, schema: Type.Array(DeployToken) },
    handler: (c) => answerList(c, null, c.input.active),
  }),
  ...routesFor('project'),
  ...routesFor('group'),
];
