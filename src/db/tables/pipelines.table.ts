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
  /** The previous head of the ref. */
  before_sha: string | null;
  source_sha: string | null;
  /** For merged results pipelines: the head of the target branch. */
  target_sha: string | null;
  /** The merge request of a merge request pipeline. */
  merge_request_id: number | null;
  name: string | null;
  yaml_errors: string | null;
  failure_reason: string | null;
  /** Total run time of its jobs in seconds. */
  duration: number | null;
  /** Whether its ref was protected when it was made. */
  protected: Defaulted<Bit>;
  /** Source of its configuration. */
  config_path: string | null;
  on_new_commit: 'conservative' | 'interruptible' | 'none' | null;
  on_job_failure: 'none' | 'all' | null;
  /** The pipeline that made it redundant. */
  auto_canceled_by_id: number | null;
  /** The bridge job that started it. */
  upstream_job_id: number | null;
  /** The pipeline of that job. */
  upstream_pipeline_id: number | null;
  /** The same pipeline if this is a child pipeline, in the same project. */
  parent_id: number | null;
  schedule_id: number | null;
  trigger_id: number | null;
  /** Whether it is the last successful pipeline of its ref, whose artifacts are kept. */
  locked: Defaulted<Bit>;
  /** The event it was created for, so that none is created twice; null if that cannot happen. */
  origin: string | null;
}
export type Pipeline = Selectable<PipelinesTable>;
