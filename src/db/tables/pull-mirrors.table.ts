import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';

/** State of pull mirrors; their URL and options are `import_url` and settings of the project. */
export interface PullMirrorsTable {
  id: Id;
  project_id: number;
  /** Without credentials. */
  last_error: string | null;
  last_update_started_at: Timestamp | null;
  last_update_at: Timestamp | null;
  last_successful_update_at: Timestamp | null;
  /** Next automatic update; null if there is none. */
  next_update_at: Timestamp | null;
  /** Number of consecutive failed updates. */
  failures: Defaulted<number>;
  /** `known_hosts` lines: the keys of the host at the first connection. */
  host_keys: string | null;
  /** Digest of both sides and all settings after the last update; if it is unchanged, there is nothing to do. */
  settled: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type PullMirror = Selectable<PullMirrorsTable>;
