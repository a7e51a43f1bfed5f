import type { Ownership } from '../ownership.ts';

/** The last assigned iid of issues (and the like) in a project or group. */
export interface InternalIdsTable {
  source_type: 'project' | 'group';
  source_id: number;
  usage: 'issues' | 'merge_requests' | 'milestones' | 'pipelines' | 'deployments' | 'feature_flag_user_lists';
  last_value: number;
}

export const internalIdsOwnership: Ownership<InternalIdsTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
