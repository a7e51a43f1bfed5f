import type { Selectable } from 'kysely';
import type { Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** Durable background jobs. */
export interface JobsTable {
  id: Id;
  kind: string;
  payload: Json<unknown>;
  /** Waiting jobs with the same key are one job. */
  unique_key: string | null;
  /** `held`: behind an earlier job of its `order_key`. */
  state: Defaulted<'waiting' | 'held' | 'running' | 'dead'>;
  attempts: Defaulted<number>;
  run_at: Timestamp;
  last_error: string | null;
  created_at: Timestamp;
  /** Empty until a server has looked up the kind of a job from an earlier version; `unknown` if there is none. */
  lane: Defaulted<string>;
  /** The project whose share of the lane it uses. */
  project_id: Defaulted<number | null>;
  /** The domain event that it belongs to, which is kept as long as the job. */
  event_id: Defaulted<number | null>;
  /** Jobs with the same key run one at a time, in the order in which they were written. */
  order_key: Defaulted<string | null>;
  /** Its position in the lane: later than `run_at` if its project has many jobs. */
  turn_at: Defaulted<Timestamp>;
  /** 1 for recurring jobs, which have one permanent row. */
  recurring: Defaulted<0 | 1>;
  /** Claim of the worker: the process id, and a unique text for each time it claims jobs. */
  claim: Defaulted<string | null>;
  /** Used by earlier versions. */
  beat: Defaulted<number>;
}
export type StoredJob = Selectable<JobsTable>;
