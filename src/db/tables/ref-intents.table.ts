import type { Defaulted, Id, Json, Timestamp } from '../columns.ts';

/**
 * Intended ref changes. Written before the refs move and deleted with the resulting events: after a crash, remaining
 * intents are compared with the refs on disk, and completed or dropped.
 */
export interface RefIntentsTable {
  id: Id;
  /** The repository's holder: exactly one of the three is set. */
  project_id: number | null;
  snippet_id: number | null;
  wiki_id: number | null;
  user_id: number | null;
  updates: Json<RefChange[]>;
  context: Json<Record<string, unknown>>;
  created_at: Timestamp;
  /** The server process of the change; null for one of an earlier version. */
  process_id: Defaulted<number | null>;
}

/**
 * Intents dropped by other processes while their own process may still be alive: if the change is made all the same, it
 * is recorded.
 */
export interface DroppedRefIntentsTable {
  id: number;
  dropped_at: Timestamp;
}

export interface RefChange {
  /** Full name, `refs/heads/main`. */
  ref: string;
  /** Object ids before and after; null if the ref does not exist. */
  old: string | null;
  new: string | null;
}
