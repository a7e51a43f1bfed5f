/** Owners of rows by type and id, as named in the columns. */
export type OwnerKind = 'user' | 'project' | 'group' | 'Issue' | 'MergeRequest' | 'Snippet' | 'Note' | 'Label';

/** Two columns that name the owner of a row. */
interface Belonging<Row> {
  type: keyof Row & string;
  id: keyof Row & string;
  /** Owner kinds whose removal removes the rows; for other values of the columns a foreign key exists. */
  goesWith: readonly OwnerKind[];
  /** Column with a note that is removed with the row. */
  takesNote?: keyof Row & string;
  /** New column values for rows that are kept. */
  instead?: Readonly<Record<string, number>>;
}

/**
 * How rows of a table are removed with their owners where there is no foreign key. Declared beside the type of the
 * table, and applied by whatever removes users, projects, groups and the rest (`db.removal.ts`).
 */
export interface Ownership<Row> {
  /** Name of the rows in the type columns of other tables. */
  called?: OwnerKind;
  /** For rows with a name that are removed with a group by a foreign key: the column. */
  ofGroup?: keyof Row & string;
  belongsTo?: readonly Belonging<Row>[];
  /** Columns whose name ends in `_type` without naming an owner. */
  plain?: readonly (keyof Row & string)[];
}
