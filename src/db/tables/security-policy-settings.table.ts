import type { Timestamp } from '../columns.ts';

/** One row: which group manages the security policies of the installation. */
export interface SecurityPolicySettingsTable {
  id: number;
  /** Null for none; a group that is removed leaves none. */
  csp_namespace_id: number | null;
  updated_at: Timestamp;
}
