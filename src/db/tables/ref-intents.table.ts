import type { Defaulted, Id, Json, Timestamp } from '../columns.ts';

/**
 * Ref changes that are about to be made. Written before the refs move, deleted with the events that follow
 * from them: what a crash leaves behind is compared with the refs on disk and finished or dropped.
 */
export interface RefIntentsTable {
  id: Id;
  /** One of the three is set: whose repository it is. */
  project_id: number | null;
  snippet_id: number | null;
  wiki_id: number | null;
  user_id: number | null;
  updates: Json<RefChange[]>;
  context: Json<Record<string, unknown>>;
  created_at: Timestamp;
  /** Which of the server's processes makes the change; null for one of an earlier version. */
  process_id: Defaulted<number | null>;
}

/** Intents that others dropped while whoever made them may still live: a change that is made all the same is recorded. */
export interface DroppedRefIntentsTable {
  id: number;
  dropped_at: Timestamp;
}

export interface RefChange {
  /** Full name, `refs/heads/main`. */
  ref: string;
  /** Object id before and after; null where the ref does not exist. */
  old: string | null;
  new: string | null;
}
