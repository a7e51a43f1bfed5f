import type { Selectable } from 'kysely';
import type { Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** Durable background work. */
export interface JobsTable {
  id: Id;
  kind: string;
  payload: Json<unknown>;
  /** Jobs of one key that wait are one job. */
  unique_key: string | null;
  /** `held`: behind an earlier one of its `order_key`. */
  state: Defaulted<'waiting' | 'held' | 'running' | 'dead'>;
  attempts: Defaulted<number>;
  run_at: Timestamp;
  last_error: string | null;
  created_at: Timestamp;
  /** Whose workers do it; empty until a server has looked up the kind of a job of an earlier version, `unknown` without one. */
  lane: Defaulted<string>;
  /** Whose share of the lane it takes. */
  project_id: Defaulted<number | null>;
  /** The domain event that it follows, which stays as long as it. */
  event_id: Defaulted<number | null>;
  /** Jobs of one key run one at a time, in the order in which they were written. */
  order_key: Defaulted<string | null>;
  /** Its place in the lane: later than `run_at` where its project has asked for much. */
  turn_at: Defaulted<Timestamp>;
  /** 1 for work that comes again and again: it has one row for ever. */
  recurring: Defaulted<0 | 1>;
  /** Who runs it: the id of the process, and a word of its own for each time it takes jobs. */
  claim: Defaulted<string | null>;
  /** Of earlier versions. */
  beat: Defaulted<number>;
}
export type StoredJob = Selectable<JobsTable>;
