import type { Timestamp } from '../columns.ts';

export interface UserFollowsTable {
  follower_id: number;
  followed_id: number;
  created_at: Timestamp;
}
