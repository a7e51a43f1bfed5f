import type { Selectable } from 'kysely';
import type { Day, Defaulted, Id, Timestamp } from '../columns.ts';

export interface MilestonesTable {
  id: Id;
  iid: number;
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  title: string;
  description: Defaulted<string>;
  state: Defaulted<'active' | 'closed'>;
  start_date: Day | null;
  due_date: Day | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Milestone = Selectable<MilestonesTable>;
