import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

export interface IssuableAssigneesTable {
  issuable_type: IssuableType;
  issuable_id: number;
  user_id: number;
  project_id: number;
}

export const issuableAssigneesOwnership: Ownership<IssuableAssigneesTable> = {
  belongsTo: [{ type: 'issuable_type', id: 'issuable_id', goesWith: ['Issue', 'MergeRequest'] }],
};
