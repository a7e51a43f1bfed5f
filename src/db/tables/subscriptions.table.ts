import type { Bit, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

/** Explicit subscriptions of users: `subscribed` 0 overrides participation. */
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
