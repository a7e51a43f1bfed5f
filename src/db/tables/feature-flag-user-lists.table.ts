import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Users of the programs that ask for flags, which several strategies can name together. */
export interface FeatureFlagUserListsTable {
  id: Id;
  project_id: number;
  iid: number;
  /** Unique in the project. */
  name: string;
  /** Ids as those programs know their users, with commas between them. */
  user_xids: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type FeatureFlagUserList = Selectable<FeatureFlagUserListsTable>;
