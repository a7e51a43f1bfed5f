import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Resource groups of projects, which jobs use one at a time. */
export interface ResourceGroupsTable {
  id: Id;
  project_id: number;
  key: string;
  process_mode: 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first';
  /** The job that uses it. */
  job_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ResourceGroup = Selectable<ResourceGroupsTable>;
