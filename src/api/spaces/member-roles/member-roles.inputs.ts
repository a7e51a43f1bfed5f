import { Type } from 'typebox';
import { ROLE_PERMISSIONS, type RolePermission } from '../../../access/role-permissions.ts';
import { Filled, IntegerEnum, Nullable, optional } from '../../../http/http.schema.ts';

const flags = Object.fromEntries(ROLE_PERMISSIONS.map((name) => [name, Type.Boolean({ default: false })])) as Record<
  RolePermission,
  ReturnType<typeof Type.Boolean>
>;

/** Base access levels of roles (part 2, section 4.1). */
const BASE_LEVELS = [10, 15, 20, 30, 40, 50] as const;

export const newMemberRole = Type.Object({
  name: Filled({ maxLength: 255, description: 'Name of the role; unique within its group or the instance.' }),
  base_access_level: IntegerEnum(BASE_LEVELS, { description: 'Access level that the role extends.' }),
  ...optional({ description: Nullable(Type.String({ maxLength: 255 })), ...flags }).properties,
});

export const memberRoleId = Type.Object({ member_role_id: Type.Integer({ description: 'Id of the role.' }) });
