import { type RolePermissions, rolePermissions } from '../../../access/role-permissions.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { MemberRole } from '../../../db/tables/member-roles.table.ts';

/** Query for the roles of a top-level group, or of the instance (null). */
export function rolesOf(db: Db, groupId: number | null) {
  const roles = db.selectFrom('member_roles').selectAll().orderBy('id');
  return groupId === null ? roles.where('group_id', 'is', null) : roles.where('group_id', '=', groupId);
}

/** Query for a role of a group or the instance; undefined if there is none. */
export const findRole = (db: Db, groupId: number | null, id: number): Promise<MemberRole | undefined> =>
  rolesOf(db, groupId).where('id', '=', id).executeTakeFirst();

/** Loads the permissions of roles, by id; roles without permissions are missing. */
export async function permissionsOfRoles(db: Db, ids: readonly number[]): Promise<Map<number, RolePermissions>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('member_role_permissions')
    .selectAll()
    .where('member_role_id', 'in', ids)
    .orderBy('permission')
    .execute();
  const names = new Map<number, string[]>();
  for (const { member_role_id, permission } of rows) {
    names.set(member_role_id, [...(names.get(member_role_id) ?? []), permission]);
  }
  return new Map([...names].map(([id, held]) => [id, rolePermissions(held)]));
}

/** Whether a membership, an invitation or a share has the role. */
export async function isInUse(db: Db, id: number): Promise<boolean> {
  for (const table of ['members', 'invitations', 'group_links'] as const) {
    const row = await db.selectFrom(table).select('id').where('member_role_id', '=', id).limit(1).executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}
