import type { Id, Timestamp } from '../columns.ts';

/** Topics of projects; created when they are first assigned. */
export interface TopicsTable {
  id: Id;
  name: string;
  title: string;
  description: string | null;
  avatar: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
