import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Terraform states: name, versions and lock. */
export interface TerraformStatesTable {
  id: Id;
  project_id: number;
  name: string;
  /** JSON of the lock as sent by its holder, with their name; null while unlocked. */
  lock_info: string | null;
  locked_by_id: number | null;
  locked_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type TerraformState = Selectable<TerraformStatesTable>;
