import type { Id, Timestamp } from '../columns.ts';

/** Legacy registration tokens for runners of a project, a group, or (both null) the instance. */
export interface CiRegistrationTokensTable {
  id: Id;
  project_id: number | null;
  group_id: number | null;
  token: string;
  created_at: Timestamp;
}
