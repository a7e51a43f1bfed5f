/** Permissions of custom roles in addition to their level, one row each, by the name in the API. */
export interface MemberRolePermissionsTable {
  member_role_id: number;
  permission: string;
}
