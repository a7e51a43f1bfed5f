import type { Timestamp } from '../columns.ts';

/** Which mails were made for whom: each once, however often what makes them runs. */
export interface NotificationMailsTable {
  /** What it is about, such as `event:12`. */
  occasion: string;
  user_id: number;
  /** Where it happened; both null for what happened nowhere. */
  project_id: number | null;
  group_id: number | null;
  created_at: Timestamp;
}
