import type { Selectable } from 'kysely';
import type { Day, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Shares of projects and groups with groups. */
export interface GroupLinksTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  group_id: number;
  group_access: number;
  member_role_id: number | null;
  expires_at: Day | null;
  created_at: Timestamp;
}
export type GroupLink = Selectable<GroupLinksTable>;

export const groupLinksOwnership: Ownership<GroupLinksTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
