import type { Timestamp } from '../columns.ts';

export interface ProjectStarsTable {
  project_id: number;
  user_id: number;
  created_at: Timestamp;
}
