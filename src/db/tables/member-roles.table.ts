import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Custom roles: a level with additional permissions. */
export interface MemberRolesTable {
  id: Id;
  /** The top-level group in which it can be assigned; null for everywhere. */
  group_id: number | null;
  name: string;
  description: string | null;
  /** Level of all memberships with the role. */
  base_access_level: number;
  created_at: Timestamp;
}
export type MemberRole = Selectable<MemberRolesTable>;
