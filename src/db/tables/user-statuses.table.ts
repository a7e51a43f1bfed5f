import type { Selectable } from 'kysely';
import type { Timestamp } from '../columns.ts';

/** Current statuses of users. */
export interface UserStatusesTable {
  user_id: number;
  /** Name of an emoji without colons. */
  emoji: string;
  message: string;
  availability: 'not_set' | 'busy';
  /** When the status expires. */
  clear_status_at: Timestamp | null;
}
export type UserStatus = Selectable<UserStatusesTable>;
