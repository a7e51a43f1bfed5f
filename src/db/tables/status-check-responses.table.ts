import type { Id, Timestamp } from '../columns.ts';

/** What a service said of a head; the newest counts. */
export interface StatusCheckResponsesTable {
  id: Id;
  external_status_check_id: number;
  merge_request_id: number;
  sha: string;
  status: 'pending' | 'passed' | 'failed';
  created_at: Timestamp;
}
