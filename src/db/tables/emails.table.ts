import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** A further e-mail address of a user; the first one is in `users`. */
export interface EmailsTable {
  id: Id;
  user_id: number;
  email: string;
  confirmed_at: Timestamp | null;
  created_at: Timestamp;
}
export type Email = Selectable<EmailsTable>;
