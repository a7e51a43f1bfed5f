import type { Ownership } from '../ownership.ts';

export interface CustomAttributesTable {
  source_type: 'user' | 'project' | 'group';
  source_id: number;
  key: string;
  value: string;
}

export const customAttributesOwnership: Ownership<CustomAttributesTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['user', 'project', 'group'] }],
};
