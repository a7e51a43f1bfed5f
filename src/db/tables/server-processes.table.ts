import type { Defaulted, Id, Timestamp } from '../columns.ts';

/** Processes that serve one database of PostgreSQL; on SQLite there is one, and no row. */
export interface ServerProcessesTable {
  id: Id;
  /** Counted up by the process for as long as it lives. */
  beat: Defaulted<number>;
  started_at: Timestamp;
}
