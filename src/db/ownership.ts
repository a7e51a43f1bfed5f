/** What rows of other tables can belong to by type and id, as the columns name it. */
export type OwnerKind = 'user' | 'project' | 'group' | 'Issue' | 'MergeRequest' | 'Snippet' | 'Note' | 'Label';

/** Two columns that name what a row belongs to. */
interface Belonging<Row> {
  type: keyof Row & string;
  id: keyof Row & string;
  /** What takes the rows with it when it goes; what else the columns name has a foreign key beside them. */
  goesWith: readonly OwnerKind[];
  /** Column with a note that goes with the row. */
  takesNote?: keyof Row & string;
  /** What the rows become instead of going. */
  instead?: Readonly<Record<string, number>>;
}

/**
 * How the rows of a table go with what they belong to, where no foreign key sees to it. It stands beside the type of the
 * table; what removes users, projects, groups and the rest loops over it (`db.removal.ts`).
 */
export interface Ownership<Row> {
  /** What the rows are called in the type columns of other tables. */
  called?: OwnerKind;
  /** Of rows that are `called` something and go with a group by a foreign key: the column. */
  ofGroup?: keyof Row & string;
  belongsTo?: readonly Belonging<Row>[];
  /** Columns whose name ends in `_type` and that name no owner. */
  plain?: readonly (keyof Row & string)[];
}
