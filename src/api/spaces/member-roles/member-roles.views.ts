import type { Static } from 'typebox';
import { NO_PERMISSIONS, ROLE_PERMISSIONS, type RolePermissions } from '../../../access/role-permissions.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { MemberRole } from '../../../db/tables/member-roles.table.ts';
import { permissionsOfRoles } from './member-roles.queries.ts';
import type { MemberRoleEntity } from './member-roles.responses.ts';

/** Renders a role. */
export function presentRole(role: MemberRole, held: RolePermissions): Static<typeof MemberRoleEntity> {
  const { id, group_id, name, description, base_access_level } = role;
  const flags = Object.fromEntries(ROLE_PERMISSIONS.map((permission) => [permission, held.has(permission)]));
  return { id, group_id, name, description, base_access_level, ...flags } as Static<typeof MemberRoleEntity>;
}

/** Renders roles with one query in total. */
export async function presentRoles(db: Db, roles: readonly MemberRole[]): Promise<Static<typeof MemberRoleEntity>[]> {
  const held = await permissionsOfRoles(db, pluck(roles, 'id'));
  return roles.map((role) => presentRole(role, held.get(role.id) ?? NO_PERMISSIONS));
}

/** Renders roles by id; deleted ones are missing. */
export async function rolesById(
  db: Db,
  ids: readonly (number | null)[],
): Promise<Map<number, Static<typeof MemberRoleEntity>>> {
  const roleIds = [...new Set(ids.filter((id) => id !== null))];
  if (roleIds.length === 0) return new Map();
  const rows = await db.selectFrom('member_roles').selectAll().where('id', 'in', roleIds).execute();
  return new Map((await presentRoles(db, rows)).map((role) => [role.id, role]));
}
