import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

export interface DeploymentsTable {
  id: Id;
  iid: number;
  project_id: number;
  environment_id: number;
  ref: string;
  tag: Defaulted<Bit>;
  sha: string;
  status: 'created' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped' | 'blocked';
  user_id: number | null;
  job_id: number | null;
  /** Name of the job that stops the environment. */
  on_stop: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  finished_at: Timestamp | null;
}
export type Deployment = Selectable<DeploymentsTable>;
