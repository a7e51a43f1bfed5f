import type { Timestamp } from '../columns.ts';

/** Mails by occasion and user, so that none is created twice. */
export interface NotificationMailsTable {
  /** The occasion, such as `event:12`. */
  occasion: string;
  user_id: number;
  /** Where it happened; both null for neither. */
  project_id: number | null;
  group_id: number | null;
  created_at: Timestamp;
}
