import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Versions of Terraform states; the one with the highest serial is current. */
export interface TerraformStateVersionsTable {
  id: Id;
  terraform_state_id: number;
  serial: number;
  /** Digest of its content in the blob store. */
  sha256: string;
  /** Size in bytes. */
  size: number;
  created_by_id: number | null;
  ci_job_id: number | null;
  created_at: Timestamp;
}
export type TerraformStateVersion = Selectable<TerraformStateVersionsTable>;
