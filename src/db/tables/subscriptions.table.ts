import type { Bit, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

/** Said by a user themselves: `subscribed` 0 is stronger than taking part. */
export interface SubscriptionsTable {
  subscribable_type: IssuableType | 'Label';
  subscribable_id: number;
  user_id: number;
  project_id: number | null;
  subscribed: Bit;
  created_at: Timestamp;
}

export const subscriptionsOwnership: Ownership<SubscriptionsTable> = {
  belongsTo: [{ type: 'subscribable_type', id: 'subscribable_id', goesWith: ['Issue', 'MergeRequest', 'Label'] }],
};
