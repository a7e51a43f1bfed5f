/** What a role gives beside its level, a row for each permission by its name in the API. */
export interface MemberRolePermissionsTable {
  member_role_id: number;
  permission: string;
}
