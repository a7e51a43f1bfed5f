import { type MemberStanding, NO_PERMISSIONS } from '../../../access/role-permissions.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { Db } from '../../../db/schema.ts';
import { permissionsOfRoles } from './queries.ts';

/**
 * What a role gives that somebody is to get in a place, in the transaction that gives it: until that ends nobody removes the role.
 * @param rootId the top-level group of the place; null where there is none
 * @returns undefined where there is no such role, or where it is for another tree of groups
 */
export async function roleToGive(db: Db, rootId: number | null, id: number): Promise<MemberStanding | undefined> {
  if (!(await lockRow(db, 'member_roles', id))) return undefined;
  const role = await db
    .selectFrom('member_roles')
    .select(['group_id', 'base_access_level'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (role === undefined || (role.group_id !== null && role.group_id !== rootId)) return undefined;
  return givenBy(db, { access_level: role.base_access_level, member_role_id: id });
}

interface Given {
  access_level: number;
  member_role_id: number | null;
}

/** What memberships, invitations or shares give, one by one; by one query. */
export async function givenByAll(db: Db, rows: readonly Given[]): Promise<MemberStanding[]> {
  const roles = new Set(rows.flatMap(({ member_role_id }) => member_role_id ?? []));
  const permissions = await permissionsOfRoles(db, [...roles]);
  return rows.map(({ access_level, member_role_id }) => ({
    level: access_level,
    permissions: permissions.get(member_role_id ?? 0) ?? NO_PERMISSIONS,
  }));
}

/** What one of them gives. */
export const givenBy = async (db: Db, row: Given): Promise<MemberStanding> => (await givenByAll(db, [row]))[0]!;
