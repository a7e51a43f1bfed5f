import type { Bit, Defaulted, Timestamp } from '../columns.ts';

/** Jobs that wait for a runner, for the queries of runners. */
export interface CiPendingJobsTable {
  job_id: number;
  project_id: number;
  /** The tags of the job, sorted and joined by commas; empty for none. */
  tag_key: string;
  /** Whether its ref is protected. */
  protected: Defaulted<Bit>;
  created_at: Timestamp;
}
