/** Users named in the relations of an export, for `user_contributions`. `export_id` is that of this relation. */
export interface RelationExportUsersTable {
  export_id: number;
  user_id: number;
}
