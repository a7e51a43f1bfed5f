import type { Defaulted, Timestamp } from '../columns.ts';

export interface MergeRequestReviewersTable {
  merge_request_id: number;
  user_id: number;
  state: Defaulted<'unreviewed' | 'reviewed' | 'requested_changes' | 'approved' | 'unapproved' | 'review_started'>;
  created_at: Timestamp;
}
