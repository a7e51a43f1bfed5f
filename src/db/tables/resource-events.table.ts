import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

/** Changes of the labels, milestone, state or weight of issues and merge requests. */
export interface ResourceEventsTable {
  id: Id;
  kind: 'label' | 'milestone' | 'state' | 'weight' | 'iteration';
  issuable_type: IssuableType;
  issuable_id: number;
  project_id: number;
  /** Null for the system, and for deleted users. */
  user_id: number | null;
  /** For labels and milestones. */
  action: 'add' | 'remove' | null;
  /** The new state for state changes, else the current one. */
  state: 'opened' | 'closed' | 'reopened' | 'merged' | 'locked' | null;
  /** Null for other kinds, and for deleted labels; milestones likewise. */
  label_id: number | null;
  milestone_id: number | null;
  weight: number | null;
  /** What closed an issue: a merge request, or a commit of the project. */
  source_project_id: number | null;
  source_merge_request_id: number | null;
  source_commit: string | null;
  created_at: Timestamp;
}
export type ResourceEvent = Selectable<ResourceEventsTable>;

export const resourceEventsOwnership: Ownership<ResourceEventsTable> = {
  belongsTo: [{ type: 'issuable_type', id: 'issuable_id', goesWith: ['Issue', 'MergeRequest'] }],
};
