import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Licenses as they were added. */
export interface LicensesTable {
  id: Id;
  /** The license key, which contains its signed terms. */
  data: string;
  created_at: Timestamp;
}
export type License = Selectable<LicensesTable>;
