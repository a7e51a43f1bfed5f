import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

export interface CiPipelineSchedulesTable {
  id: Id;
  project_id: number;
  /** The user on whose behalf it runs. */
  owner_id: number | null;
  description: string;
  /** Full name, `refs/heads/...` or `refs/tags/...`. */
  ref: string;
  cron: string;
  cron_timezone: string;
  active: Defaulted<Bit>;
  next_run_at: Timestamp | null;
  inputs: DefaultedJson<{ name: string; value: unknown }[]>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type CiPipelineSchedule = Selectable<CiPipelineSchedulesTable>;
