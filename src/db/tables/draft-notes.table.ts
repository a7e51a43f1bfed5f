import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** A comment of a review that only its author sees, until they publish it. */
export interface DraftNotesTable {
  id: Id;
  merge_request_id: number;
  author_id: number;
  /** The thread that it answers in. */
  discussion_id: string | null;
  /** Of an answer: whether the thread is resolved with it, else opened again. */
  resolve_discussion: Defaulted<Bit>;
  note: string;
  commit_id: string | null;
  position: Json<Record<string, unknown>> | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type DraftNote = Selectable<DraftNotesTable>;
