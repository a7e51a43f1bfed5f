import { missingPermissions, type RolePermissions } from '../../../access/role-permissions.ts';
import { group, INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound, refused } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockInstance, lockRow } from '../../../db/lock-row.ts';
import type { MemberRole } from '../../../db/tables/member-roles.table.ts';
import type { Deps } from '../../../deps.ts';
import { findRole, isInUse, rolesOf } from './member-roles.queries.ts';

/** Maximum number of roles of a group, or of the instance. */
const MAX = 10;

export interface NewRole {
  name: string;
  description: string | null;
  level: number;
  permissions: RolePermissions;
}

/** `admin_vulnerability` -> `Admin vulnerability`. */
const humanized = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

/** @throws ApiError 400 for a permission that requires another one */
function requirePermissions({ level, permissions }: NewRole): void {
  const base = missingPermissions(level, permissions).map(
    ({ permission, needs }) => `${humanized(permission)} requires ${humanized(needs)}`,
  );
  if (base.length > 0) throw invalidModel({ base });
}

/**
 * Creates a role, one transaction per owner at a time.
 * @param groupId a top-level group; null for the instance
 * @param revalidate checks the rights again in the transaction
 * @throws ApiError 400
 */
export async function createRole(
  deps: Deps,
  groupId: number | null,
  input: NewRole,
  revalidate: (db: Db) => Promise<unknown>,
): Promise<MemberRole> {
  requirePermissions(input);
  try {
    return await deps.db.transaction().execute(async (db) => {
      await (groupId === null ? lockInstance(db) : lockRow(db, 'namespaces', groupId));
      await revalidate(db);
      if ((await rolesOf(db, groupId).execute()).length >= MAX) {
        throw invalidModel({
          base: [
            `Limit reached: ${groupId === null ? 'an installation' : 'a group'} has at most ${MAX} member roles. Delete one first.`,
          ],
        });
      }
      const { name, description, level, permissions } = input;
      const role = await db
        .insertInto('member_roles')
        .values({ group_id: groupId, name, description, base_access_level: level, created_at: timestamp(deps.clock) })
        .returningAll()
        .executeTakeFirstOrThrow();
      const rows = [...permissions].map((permission) => ({ member_role_id: role.id, permission }));
      if (rows.length > 0) await db.insertInto('member_role_permissions').values(rows).execute();
      await recordRole(deps, db, 'created', role, { permissions: [...permissions].join(', ') });
      return role;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? invalidModel({ name: ['has already been taken'] }) : error;
  }
}

/** @param more granted permissions */
const recordRole = (
  deps: Deps,
  db: Db,
  action: 'created' | 'deleted',
  { id, name, group_id, base_access_level }: MemberRole,
  more: Record<string, string> = {},
): Promise<void> =>
  recordAudit(deps, db, {
    name: `member_role_${action}`,
    entity: group_id === null ? INSTANCE : group(group_id),
    target: { id, type: 'MemberRole', details: name },
    message: `Member role was ${action}`,
    more: { base_access_level, ...more },
  });

/**
 * Deletes an unused role. Assigning a role locks its row as well, so it cannot be assigned meanwhile.
 * @throws ApiError 400 while it is in use, 404
 */
export async function removeRole(
  deps: Deps,
  groupId: number | null,
  id: number,
  revalidate: (db: Db) => Promise<unknown>,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const exists = await lockRow(db, 'member_roles', id);
    await revalidate(db);
    const role = exists ? await findRole(db, groupId, id) : undefined;
    if (role === undefined) throw notFound('Member Role');
    if (await isInUse(db, id)) {
      throw refused('The role is in use. Assign another role to its members, invitations and shares first.');
    }
    await db.deleteFrom('member_roles').where('id', '=', id).execute();
    await recordRole(deps, db, 'deleted', role);
  });
}
