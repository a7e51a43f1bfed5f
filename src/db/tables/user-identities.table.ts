import type { Id, Timestamp } from '../columns.ts';

/** Identities of users at external providers. */
export interface UserIdentitiesTable {
  id: Id;
  user_id: number;
  provider: string;
  extern_uid: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
