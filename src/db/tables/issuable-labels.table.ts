import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

export interface IssuableLabelsTable {
  issuable_type: IssuableType;
  issuable_id: number;
  label_id: number;
  project_id: number;
}

export const issuableLabelsOwnership: Ownership<IssuableLabelsTable> = {
  belongsTo: [{ type: 'issuable_type', id: 'issuable_id', goesWith: ['Issue', 'MergeRequest'] }],
};
