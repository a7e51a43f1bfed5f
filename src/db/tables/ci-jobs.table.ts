import type { Selectable } from 'kysely';
import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { When } from '../../ci/pipeline-config.ts';
import type { State } from '../../ci/states.ts';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** What pipelines consist of: jobs for runners, bridges to other pipelines, and states that outside systems report of a commit. */
export interface CiJobsTable {
  id: Id;
  /** `status`: reported from outside. */
  kind: Defaulted<'build' | 'bridge' | 'status'>;
  project_id: number;
  pipeline_id: number;
  sha: string;
  ref: string;
  tag: Defaulted<Bit>;
  /** Whether its ref is protected. */
  protected: Defaulted<Bit>;
  name: string;
  stage: Defaulted<string>;
  /** Reported states come last. */
  stage_index: Defaulted<number>;
  status: State;
  /** `when` of the configuration. */
  run_when: Defaulted<When>;
  /** Whether it waits for the stages before it, or for the jobs that it needs. */
  scheduling: Defaulted<'stage' | 'dag'>;
  target_url: string | null;
  description: string | null;
  coverage: number | null;
  coverage_regex: string | null;
  allow_failure: Defaulted<Bit>;
  /** Replaced by a later one of the same name. */
  retried: Defaulted<Bit>;
  failure_reason: FailureReason | null;
  exit_code: number | null;
  /** Who it runs for. */
  user_id: number;
  created_at: Timestamp;
  updated_at: Defaulted<Timestamp>;
  queued_at: Timestamp | null;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  erased_at: Timestamp | null;
  /** When a delayed job is due. */
  scheduled_at: Timestamp | null;
  /** Seconds that a delayed job waits. */
  start_in: number | null;
  /** Sorted. */
  tag_list: DefaultedJson<string[]>;
  /** Of the token that its runner got: it is good while the job is at work, and tells the runner afterwards that it is not. */
  token_digest: string | null;
  runner_id: number | null;
  runner_manager_id: number | null;
  /** Seconds it may run. */
  timeout: number | null;
  timeout_source: number | null;
  interruptible: Bit | null;
  auto_canceled_by_id: number | null;
  /** Name of its environment, expanded. */
  environment: string | null;
  resource_group_id: number | null;
  /** The pipeline of another project whose state a bridge waits for (`needs:pipeline`). */
  followed_pipeline_id: number | null;
  /** Bytes of its log so far. */
  trace_size: Defaulted<number>;
  debug_trace: Defaulted<Bit>;
  artifacts_expire_at: Timestamp | null;
}
export type CiJob = Selectable<CiJobsTable>;
