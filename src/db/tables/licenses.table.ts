import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Licenses as they were added. */
export interface LicensesTable {
  id: Id;
  /** The key: all that it says is signed in it. */
  data: string;
  created_at: Timestamp;
}
export type License = Selectable<LicensesTable>;
