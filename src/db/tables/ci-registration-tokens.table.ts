import type { Id, Timestamp } from '../columns.ts';

/** Tokens of old by which runners register themselves: of a project, of a group, or, where both are null, of the installation. */
export interface CiRegistrationTokensTable {
  id: Id;
  project_id: number | null;
  group_id: number | null;
  token: string;
  created_at: Timestamp;
}
