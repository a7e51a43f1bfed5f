import { Type } from 'typebox';
import { ROLE_PERMISSIONS, type RolePermission } from '../../../access/role-permissions.ts';
import { Nullable } from '../../../http/http.schema.ts';

const permissions = Object.fromEntries(ROLE_PERMISSIONS.map((name) => [name, Type.Boolean()])) as Record<
  RolePermission,
  ReturnType<typeof Type.Boolean>
>;

/** A member role (part 2, section 2, "Member role"). */
export const MemberRoleEntity = Type.Object({
  id: Type.Integer(),
  group_id: Nullable(Type.Integer({ description: 'Top-level group of the role; null for instance roles.' })),
  name: Type.String(),
  description: Nullable(Type.String()),
  base_access_level: Type.Integer({ description: 'Base access level: 10, 15, 20, 30, 40 or 50.' }),
  ...permissions,
});
