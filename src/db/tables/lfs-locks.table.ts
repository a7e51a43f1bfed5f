import type { Id, Timestamp } from '../columns.ts';

export interface LfsLocksTable {
  id: Id;
  project_id: number;
  user_id: number;
  path: string;
  ref: string | null;
  locked_at: Timestamp;
}
