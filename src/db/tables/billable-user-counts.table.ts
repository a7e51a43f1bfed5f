import type { Day, Timestamp } from '../columns.ts';

/** Daily number of billable users. */
export interface BillableUserCountsTable {
  day: Day;
  /** The highest count of that day. */
  users: number;
  /** Time of the highest count. */
  recorded_at: Timestamp;
}
