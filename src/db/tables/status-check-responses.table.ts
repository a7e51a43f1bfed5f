import type { Id, Timestamp } from '../columns.ts';

/** Responses of external status checks for a head; the newest counts. */
export interface StatusCheckResponsesTable {
  id: Id;
  external_status_check_id: number;
  merge_request_id: number;
  sha: string;
  status: 'pending' | 'passed' | 'failed';
  created_at: Timestamp;
}
