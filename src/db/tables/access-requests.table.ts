import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface AccessRequestsTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  created_at: Timestamp;
}
export type AccessRequest = Selectable<AccessRequestsTable>;

export const accessRequestsOwnership: Ownership<AccessRequestsTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
