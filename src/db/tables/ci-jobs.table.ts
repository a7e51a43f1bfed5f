import type { Selectable } from 'kysely';
import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { When } from '../../ci/pipeline-config.ts';
import type { State } from '../../ci/states.ts';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Jobs of pipelines: jobs for runners, bridges to other pipelines, and external commit statuses. */
export interface CiJobsTable {
  id: Id;
  /** `status`: reported by an external system. */
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
  /** External statuses come last. */
  stage_index: Defaulted<number>;
  status: State;
  /** `when` of the configuration. */
  run_when: Defaulted<When>;
  /** Whether it waits for earlier stages, or for the jobs that it needs. */
  scheduling: Defaulted<'stage' | 'dag'>;
  target_url: string | null;
  description: string | null;
  coverage: number | null;
  coverage_regex: string | null;
  allow_failure: Defaulted<Bit>;
  /** Replaced by a later job of the same name. */
  retried: Defaulted<Bit>;
  failure_reason: FailureReason | null;
  exit_code: number | null;
  /** The user on whose behalf it runs. */
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
  /**
   * Digest of the token given to its runner: valid while the job runs; afterwards it tells the runner that the job is
   * over.
   */
  token_digest: string | null;
  runner_id: number | null;
  runner_manager_id: number | null;
  /** Timeout in seconds. */
  timeout: number | null;
  timeout_source: number | null;
  interruptible: Bit | null;
  auto_canceled_by_id: number | null;
  /** Name of its environment, expanded. */
  environment: string | null;
  resource_group_id: number | null;
  /** The pipeline of another project whose state a bridge mirrors (`needs:pipeline`). */
  followed_pipeline_id: number | null;
  /** Size of its log so far in bytes. */
  trace_size: Defaulted<number>;
  debug_trace: Defaulted<Bit>;
  artifacts_expire_at: Timestamp | null;
}
export type CiJob = Selectable<CiJobsTable>;
