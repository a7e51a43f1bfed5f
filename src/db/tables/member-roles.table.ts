import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** A role of one's own making: a level, and permissions beside it. */
export interface MemberRolesTable {
  id: Id;
  /** The top-level group in whose tree it can be given; null for everywhere. */
  group_id: number | null;
  name: string;
  description: string | null;
  /** Level of every membership that has the role. */
  base_access_level: number;
  created_at: Timestamp;
}
export type MemberRole = Selectable<MemberRolesTable>;
