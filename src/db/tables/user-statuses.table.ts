import type { Selectable } from 'kysely';
import type { Timestamp } from '../columns.ts';

/** What a user says about themselves at the moment. */
export interface UserStatusesTable {
  user_id: number;
  /** Name of an emoji without colons. */
  emoji: string;
  message: string;
  availability: 'not_set' | 'busy';
  /** From then on there is no status. */
  clear_status_at: Timestamp | null;
}
export type UserStatus = Selectable<UserStatusesTable>;
