import { lineageIds } from '../../../access/access.membership.ts';
import { type EffectiveMembership, NO_PERMISSIONS } from '../../../access/role-permissions.ts';
import { conflict } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { Source } from '../spaces.source.ts';
import { permissionsOfRoles } from './member-roles.queries.ts';

/**
 * Returns the current top-level group of a project or group, or null. Until the transaction ends it stays in that
 * hierarchy, since transfers lock the same row.
 */
async function lockedRoot(db: Db, { kind, id, lineage: [known] }: Source): Promise<number | null> {
  if (known !== undefined) await lockRow(db, 'namespaces', known);
  const places = db.selectFrom('namespaces').select('lineage').where('namespaces.kind', '=', 'group');
  const row = await (kind === 'group'
    ? places.where('namespaces.id', '=', id)
    : places.innerJoin('projects', 'projects.namespace_id', 'namespaces.id').where('projects.id', '=', id)
  ).executeTakeFirst();
  const root = row === undefined ? null : lineageIds(row.lineage)[0]!;
  // It was transferred since it was looked up, and is not locked in its new hierarchy.
  if (root !== (known ?? null)) throw conflict('409 Conflict: Resource lock');
  return root;
}

/**
 * Returns what a role grants in a project or group, in the transaction that assigns it; the role cannot be deleted
 * until the transaction ends.
 * @returns undefined if the role does not exist, or belongs to another hierarchy
 * @throws ApiError 409 if the project or group was transferred meanwhile
 */
export async function assignableRole(db: Db, source: Source, id: number): Promise<EffectiveMembership | undefined> {
  const rootId = await lockedRoot(db, source);
  if (!(await lockRow(db, 'member_roles', id))) return undefined;
  const role = await db
    .selectFrom('member_roles')
    .select(['group_id', 'base_access_level'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (role === undefined || (role.group_id !== null && role.group_id !== rootId)) return undefined;
  return grantedBy(db, { access_level: role.base_access_level, member_role_id: id });
}

interface GrantingRow {
  access_level: number;
  member_role_id: number | null;
}

/** Returns what each membership, invitation or share grants, with one query. */
export async function grantedByAll(db: Db, rows: readonly GrantingRow[]): Promise<EffectiveMembership[]> {
  const roles = new Set(rows.flatMap(({ member_role_id }) => member_role_id ?? []));
  const permissions = await permissionsOfRoles(db, [...roles]);
  return rows.map(({ access_level, member_role_id }) => ({
    level: access_level,
    permissions: permissions.get(member_role_id ?? 0) ?? NO_PERMISSIONS,
  }));
}

/** Returns what a membership, invitation or share grants. */
export const grantedBy = async (db: Db, row: GrantingRow): Promise<EffectiveMembership> =>
  (await grantedByAll(db, [row]))[0]!;
