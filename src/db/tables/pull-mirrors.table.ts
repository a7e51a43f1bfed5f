import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';

/** How far projects follow a repository elsewhere; what they follow, and how, are their settings and `import_url`. */
export interface PullMirrorsTable {
  id: Id;
  project_id: number;
  /** Without credentials. */
  last_error: string | null;
  last_update_started_at: Timestamp | null;
  last_update_at: Timestamp | null;
  last_successful_update_at: Timestamp | null;
  /** When the next update is due; null where none comes by itself. */
  next_update_at: Timestamp | null;
  /** Updates in a row that failed. */
  failures: Defaulted<number>;
  /** Lines of `known_hosts`: the keys that the host of an SSH address had at first. */
  host_keys: string | null;
  /** Digest of both sides and all settings after the last update: where it is the same, there is nothing to do. */
  settled: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type PullMirror = Selectable<PullMirrorsTable>;
