/** Users whom the relations of an export name: what `user_contributions` tells of. `export_id` is that of this relation. */
export interface RelationExportUsersTable {
  export_id: number;
  user_id: number;
}
