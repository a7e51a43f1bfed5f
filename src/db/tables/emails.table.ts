import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Secondary email addresses of users; the primary one is in `users`. */
export interface EmailsTable {
  id: Id;
  user_id: number;
  email: string;
  confirmed_at: Timestamp | null;
  created_at: Timestamp;
}
export type Email = Selectable<EmailsTable>;
