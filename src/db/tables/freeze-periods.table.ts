import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Periods in which a project must not be deployed. */
export interface FreezePeriodsTable {
  id: Id;
  project_id: number;
  freeze_start: string;
  freeze_end: string;
  cron_timezone: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type FreezePeriod = Selectable<FreezePeriodsTable>;
