import type { Defaulted, Id, Timestamp } from '../columns.ts';

/** Server processes on a PostgreSQL database; empty on SQLite. */
export interface ServerProcessesTable {
  id: Id;
  /** Heartbeat counter of the process. */
  beat: Defaulted<number>;
  started_at: Timestamp;
}
