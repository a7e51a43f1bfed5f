import type { Selectable } from 'kysely';
import type { State } from '../../ci/states.ts';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

export interface PipelinesTable {
  id: Id;
  iid: number;
  project_id: number;
  sha: string;
  /** Short name of a branch or tag, or `refs/merge-requests/:iid/head` and the like. */
  ref: string;
  tag: Defaulted<Bit>;
  source: string;
  status: State;
  user_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  /** What the ref was before the push. */
  before_sha: string | null;
  source_sha: string | null;
  /** Of a pipeline for a merged result. */
  target_sha: string | null;
  /** The merge request that it is for. */
  merge_request_id: number | null;
  name: string | null;
  yaml_errors: string | null;
  failure_reason: string | null;
  /** Seconds that its jobs ran. */
  duration: number | null;
  /** Whether its ref was protected when it was made. */
  protected: Defaulted<Bit>;
  /** Where its configuration stood. */
  config_path: string | null;
  on_new_commit: 'conservative' | 'interruptible' | 'none' | null;
  on_job_failure: 'none' | 'all' | null;
  /** The pipeline that made it redundant. */
  auto_canceled_by_id: number | null;
  /** The job (a bridge) that started it. */
  upstream_job_id: number | null;
  /** The pipeline of that job. */
  upstream_pipeline_id: number | null;
  /** The same, where this is a child of it: of the same project. */
  parent_id: number | null;
  schedule_id: number | null;
  trigger_id: number | null;
  /** Whether it is the last successful one of its ref: its artifacts are kept. */
  locked: Defaulted<Bit>;
  /** What it was made for, so that nothing is made twice for one event; null where nobody would ask twice. */
  origin: string | null;
}
export type Pipeline = Selectable<PipelinesTable>;
