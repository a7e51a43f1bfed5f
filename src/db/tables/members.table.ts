import type { Selectable } from 'kysely';
import type { Day, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface MembersTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  access_level: number;
  member_role_id: number | null;
  created_by_id: number | null;
  expires_at: Day | null;
  state: Defaulted<'active' | 'awaiting'>;
  notification_level: Defaulted<number>;
  created_at: Timestamp;
  /** Null until the membership is changed. */
  updated_at: Timestamp | null;
}
export type Member = Selectable<MembersTable>;

export const membersOwnership: Ownership<MembersTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
