import type { Timestamp } from '../columns.ts';

/** One row: the group that manages the security policies of the installation. */
export interface SecurityPolicySettingsTable {
  id: number;
  /** Null for none, also after the group is removed. */
  csp_namespace_id: number | null;
  updated_at: Timestamp;
}
