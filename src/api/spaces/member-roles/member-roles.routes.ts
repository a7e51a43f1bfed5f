import { type Static, Type } from 'typebox';
import { hasInstanceRole } from '../../../access/access.abilities.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { revalidateCaller } from '../../../access/revalidate.ts';
import { ROLE_PERMISSIONS, rolePermissions } from '../../../access/role-permissions.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { forbidden, invalidModel } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { type Access, type AccessRequest, type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inGroup, onServer } from '../../api.access.ts';
import { memberRoleId, newMemberRole } from './member-roles.inputs.ts';
import { rolesOf } from './member-roles.queries.ts';
import { MemberRoleEntity } from './member-roles.responses.ts';
import { presentRole, presentRoles } from './member-roles.views.ts';
import { createRole, removeRole } from './member-roles.writes.ts';

/** Owner of roles: a group or the instance. */
interface Place {
  /** Null for the instance. */
  group: Namespace | null;
  /** Checks the rights again. @throws ApiError if the caller has lost them */
  revalidate(db: Db): Promise<unknown>;
}

const ofServer: Access<Place> = {
  ...onServer('admin_member_roles'),
  check: async (request) => {
    await onServer('admin_member_roles').check(request);
    return { group: null, revalidate: (db) => requireStillAdministrator(request, db) };
  },
};

async function requireStillAdministrator({ deps, caller }: AccessRequest, db: Db): Promise<void> {
  const now = await revalidateCaller(transactionDeps(deps, db), caller);
  if (now.user === null || !hasInstanceRole({ ...now, user: now.user }, 'administrator')) throw forbidden();
}

const ofGroup: Access<Place> = {
  ...inGroup('admin_group_member_roles'),
  check: async (request) => {
    const { group } = await inGroup('admin_group_member_roles').check(request);
    const revalidate = (db: Db) =>
      revalidateGroupAbility(request.deps, db, request.caller, group.id, 'admin_group_member_roles');
    return { group, revalidate };
  },
};

function answerList(c: BaseContext & Place) {
  return c.page(rolesOf(c.deps.db, c.group?.id ?? null), (rows) => presentRoles(c.deps.db, rows));
}

async function create({ deps, group, revalidate }: BaseContext & Place, input: Static<typeof newMemberRole>) {
  if (group !== null && group.parent_id !== null) throw invalidModel({ namespace: ['must be top-level namespace'] });
  const permissions = rolePermissions(ROLE_PERMISSIONS.filter((name) => input[name] === true));
  const { name, description = null, base_access_level: level } = input;
  const role = await createRole(deps, group?.id ?? null, { name, description, level, permissions }, revalidate);
  return presentRole(role, permissions);
}

const routesOf = (access: Access<Place>, path: string, of: string): Route[] => [
  route({
    method: 'GET',
    path,
    plan: 'ultimate',
    summary: `List the custom member roles of ${of}`,
    access,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(MemberRoleEntity) },
    handler: answerList,
  }),
  route({
    method: 'POST',
    path,
    plan: 'ultimate',
    summary: `Create a custom member role of ${of}`,
    description: 'Members with the role have its base access level and the permissions that are set to true.',
    access,
    input: newMemberRole,
    success: { status: 201, schema: MemberRoleEntity },
    handler: (c) => create(c, c.input),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:member_role_id`,
    plan: 'ultimate',
    summary: `Delete an unused custom member role of ${of}`,
    access,
    params: memberRoleId,
    success: { status: 204, empty: true },
    errors: [400, 404],
    handler: ({ deps, group, revalidate, params }) =>
      removeRole(deps, group?.id ?? null, params.member_role_id, revalidate),
  }),
];

/** Custom member roles: an access level with further permissions (part 2, section 4.1). */
export const memberRoleRoutes: readonly Route[] = [
  ...routesOf(ofServer, '/member_roles', 'the server'),
  ...routesOf(ofGroup, '/groups/:id/member_roles', 'a top-level group'),
];
