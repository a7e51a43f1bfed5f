import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** A state as it was written once; the one of the highest serial is the current one. */
export interface TerraformStateVersionsTable {
  id: Id;
  terraform_state_id: number;
  serial: number;
  /** Of its bytes in the blob store. */
  sha256: string;
  /** Bytes. */
  size: number;
  created_by_id: number | null;
  ci_job_id: number | null;
  created_at: Timestamp;
}
export type TerraformStateVersion = Selectable<TerraformStateVersionsTable>;
