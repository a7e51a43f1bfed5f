import type { Selectable } from 'kysely';
import type { Day, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Invitations by email address: they become memberships when a user confirms the address. */
export interface InvitationsTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  email: string;
  access_level: number;
  member_role_id: number | null;
  expires_at: Day | null;
  created_by_id: number | null;
  created_at: Timestamp;
}
export type Invitation = Selectable<InvitationsTable>;

export const invitationsOwnership: Ownership<InvitationsTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
