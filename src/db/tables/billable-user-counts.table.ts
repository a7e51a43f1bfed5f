import type { Day, Timestamp } from '../columns.ts';

/** How many billable users the server had, day by day. */
export interface BillableUserCountsTable {
  day: Day;
  /** The most that were counted on that day. */
  users: number;
  /** When these were counted. */
  recorded_at: Timestamp;
}
