import type { Day, Id, Timestamp } from '../columns.ts';

/** Memberships that wait for the reassignment of imported contributions. */
export interface ImportPlaceholderMembershipsTable {
  id: Id;
  source_user_id: number;
  /** Exactly one of the two is set. */
  group_id: number | null;
  project_id: number | null;
  access_level: number;
  expires_at: Day | null;
  created_at: Timestamp;
}
