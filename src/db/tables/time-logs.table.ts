import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

/** Time spent (or subtracted), in seconds. */
export interface TimeLogsTable {
  id: Id;
  issuable_type: IssuableType;
  issuable_id: number;
  project_id: number;
  user_id: number;
  time_spent: number;
  summary: string | null;
  spent_at: Timestamp;
  created_at: Timestamp;
}

export const timeLogsOwnership: Ownership<TimeLogsTable> = {
  belongsTo: [{ type: 'issuable_type', id: 'issuable_id', goesWith: ['Issue', 'MergeRequest'] }],
};
