import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** What Terraform knows of what it made: a name, its versions, and who works on it. */
export interface TerraformStatesTable {
  id: Id;
  project_id: number;
  name: string;
  /** JSON of the lock as its holder sent it, with their name; null while it is free. */
  lock_info: string | null;
  locked_by_id: number | null;
  locked_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type TerraformState = Selectable<TerraformStatesTable>;
