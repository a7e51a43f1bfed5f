import type { Id, Timestamp } from '../columns.ts';

/** Who a user is at another provider of identities. */
export interface UserIdentitiesTable {
  id: Id;
  user_id: number;
  provider: string;
  extern_uid: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
