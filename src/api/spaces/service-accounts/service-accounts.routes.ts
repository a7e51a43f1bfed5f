import { Type } from 'typebox';
import { atLevel } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { type Access, type Route, route } from '../../../http/http.route.ts';
import { administrator, onServer } from '../../api.access.ts';
import {
  createToken,
  destroyUser,
  PersonalToken,
  PersonalTokenWithSecret,
  presentIssued,
  presentTokenWithUse,
  revokeToken,
  rotateToken,
  rotation,
  tokensMatching,
} from '../../identity/index.ts';
import { userOf } from '../projects/user-of.ts';
import { inSource, type SourceKind } from '../spaces.source.ts';
import {
  accountId,
  changedServiceAccount,
  deletion,
  listServiceAccounts,
  listTokens,
  newAccountToken,
  newServiceAccount,
  tokenId,
} from './service-accounts.inputs.ts';
import { ServiceAccount } from './service-accounts.responses.ts';
import {
  accountsOf,
  createServiceAccount,
  findAccount,
  type Manager,
  requireManageable,
  tokenOf,
  updateServiceAccount,
} from './service-accounts.writes.ts';

const MANAGE = { project: 'admin_service_accounts', group: 'admin_group_service_accounts' } as const;
const present = ({ id, username, name, email }: User) => ({ id, username, name, email });

const ofServer: Access<Manager> = {
  ...onServer('admin_instance_service_accounts'),
  check: async (request) => ({
    owner: null,
    manager: (await administrator.check(request)).caller,
    standing: atLevel(AccessLevel.admin),
  }),
};

function ofSource(kind: SourceKind): Access<Manager> {
  const access = inSource(kind, MANAGE);
  return {
    ...access,
    check: async (request) => {
      const { source, standing: scope } = await access.check(request);
      return { owner: source, manager: userOf(request.caller), standing: scope };
    },
  };
}

function accountRoutes(access: Access<Manager>, path: string, of: string): Route[] {
  return [
    route({
      method: 'GET',
      path,
      plan: 'premium',
      summary: `List the service accounts of ${of}`,
      access,
      input: listServiceAccounts,
      success: { status: 200, schema: Type.Array(ServiceAccount) },
      handler: (c) => {
        const query = accountsOf(c.deps.db, c.owner).orderBy(c.input.order_by ?? 'id', c.input.sort ?? 'desc');
        return c.page(query, (rows) => rows.map(present));
      },
    }),
    route({
      method: 'POST',
      path,
      plan: 'premium',
      summary: `Create a service account of ${of}`,
      description: 'A user for programs. It can sign in with personal access tokens only.',
      access,
      input: newServiceAccount,
      success: { status: 201, schema: ServiceAccount },
      handler: async ({ deps, owner, manager, input }) =>
        present(await createServiceAccount(deps, manager, owner, input)),
    }),
    route({
      method: 'PATCH',
      path: `${path}/:user_id`,
      plan: 'premium',
      summary: `Update a service account of ${of}`,
      access,
      params: accountId,
      input: changedServiceAccount,
      success: { status: 200, schema: ServiceAccount },
      errors: [403, 404, 409],
      handler: async (c) => {
        const user = await findAccount(c.deps.db, c.owner, c.params.user_id);
        return present(await updateServiceAccount(c.deps, c, user, c.input));
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:user_id`,
      plan: 'premium',
      summary: `Delete a service account of ${of}`,
      access,
      params: accountId,
      input: deletion,
      success: { status: 204, empty: true },
      errors: [403, 404, 409],
      handler: async (c) => {
        const user = await findAccount(c.deps.db, c.owner, c.params.user_id);
        await requireManageable(c.deps, c, user);
        await destroyUser(c.deps, c.manager.user, user, c.input.hard_delete === true);
      },
    }),
  ];
}

function tokenRoutes(access: Access<Manager>, accounts: string, of: string): Route[] {
  const path = `${accounts}/:user_id/personal_access_tokens`;
  return [
    route({
      method: 'GET',
      path,
      plan: 'premium',
      summary: `List the personal access tokens of a service account of ${of}`,
      access,
      params: accountId,
      input: listTokens,
      success: { status: 200, schema: Type.Array(PersonalToken) },
      errors: [404],
      handler: async (c) => {
        const { id: userId } = await findAccount(c.deps.db, c.owner, c.params.user_id);
        const query = tokensMatching(c.deps.db, c.deps.clock, { userId, impersonation: false }, c.input);
        return c.page(query, (rows) => rows.map((row) => presentTokenWithUse(row, c.deps.clock)));
      },
    }),
    route({
      method: 'POST',
      path,
      plan: 'premium',
      summary: `Create a personal access token for a service account of ${of}`,
      access,
      params: accountId,
      input: newAccountToken,
      success: { status: 201, schema: PersonalTokenWithSecret },
      errors: [403, 404],
      handler: async (c) => {
        const { deps, input } = c;
        const user = await findAccount(deps.db, c.owner, c.params.user_id);
        await requireManageable(deps, c, user);
        return presentIssued(await createToken(deps, user, { ...input, expiresAt: input.expires_at }), deps.clock);
      },
    }),
    route({
      method: 'POST',
      path: `${path}/:token_id/rotate`,
      plan: 'premium',
      summary: `Rotate a personal access token of a service account of ${of}`,
      description: 'Revokes the token and creates a successor. Rotating a revoked token revokes its whole family.',
      access,
      params: tokenId,
      input: rotation,
      success: { status: 200, schema: PersonalTokenWithSecret },
      errors: [403, 404],
      handler: async (c) => {
        const { deps } = c;
        const user = await findAccount(deps.db, c.owner, c.params.user_id);
        await requireManageable(deps, c, user);
        const old = await tokenOf(deps.db, user, c.params.token_id);
        return presentIssued(await rotateToken(deps, old, c.input.expires_at), deps.clock);
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:token_id`,
      plan: 'premium',
      summary: `Revoke a personal access token of a service account of ${of}`,
      access,
      params: tokenId,
      success: { status: 204, empty: true },
      errors: [404],
      handler: async ({ deps, owner, params }) => {
        const user = await findAccount(deps.db, owner, params.user_id);
        const { id } = await tokenOf(deps.db, user, params.token_id);
        await deps.db.transaction().execute((db) => revokeToken(deps, db, id));
      },
    }),
  ];
}

/** Service accounts of the instance, of groups and of projects. */
export const serviceAccountRoutes: readonly Route[] = [
  ...accountRoutes(ofServer, '/service_accounts', 'the server'),
  ...tokenRoutes(ofServer, '/service_accounts', 'the server'),
  ...(['group', 'project'] as const).flatMap((kind) => {
    const path = `/${kind}s/:id/service_accounts`;
    return [...accountRoutes(ofSource(kind), path, `a ${kind}`), ...tokenRoutes(ofSource(kind), path, `a ${kind}`)];
  }),
];
