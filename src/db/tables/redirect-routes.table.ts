import type { Id } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Former paths of renamed or moved projects and groups. */
export interface RedirectRoutesTable {
  id: Id;
  path: string;
  source_type: 'project' | 'group';
  source_id: number;
}

export const redirectRoutesOwnership: Ownership<RedirectRoutesTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
