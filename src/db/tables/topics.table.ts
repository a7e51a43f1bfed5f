import type { Id, Timestamp } from '../columns.ts';

/** What projects are about; a topic comes into being when it is first given to a project. */
export interface TopicsTable {
  id: Id;
  name: string;
  title: string;
  description: string | null;
  avatar: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
