import type { Selectable } from 'kysely';
import type { Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** What happened, written in the transaction that made it happen; subscribers read it in order. */
export interface DomainEventsTable {
  id: Id;
  type: string;
  project_id: number | null;
  group_id: number | null;
  actor_id: number | null;
  payload: Json<Record<string, unknown>>;
  created_at: Timestamp;
}

/** Durable background work. */
export interface JobsTable {
  id: Id;
  kind: string;
  payload: Json<unknown>;
  /** Jobs of one key that wait are one job. */
  unique_key: string | null;
  state: Defaulted<'waiting' | 'running' | 'dead'>;
  attempts: Defaulted<number>;
  run_at: Timestamp;
  lease_until: Timestamp | null;
  last_error: string | null;
  created_at: Timestamp;
}
export type StoredJob = Selectable<JobsTable>;

/** Values that belong to the installation: its id, its settings. */
export interface InstanceValuesTable {
  key: string;
  value: Json<unknown>;
  updated_at: Defaulted<Timestamp>;
}
