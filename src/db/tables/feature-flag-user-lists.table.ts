import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Lists of application users, shared by strategies. */
export interface FeatureFlagUserListsTable {
  id: Id;
  project_id: number;
  iid: number;
  /** Unique in the project. */
  name: string;
  /** User ids of the application, separated by commas. */
  user_xids: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type FeatureFlagUserList = Selectable<FeatureFlagUserListsTable>;
