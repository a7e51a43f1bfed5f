import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** Draft comments of a review, visible to their author only until they are published. */
export interface DraftNotesTable {
  id: Id;
  merge_request_id: number;
  author_id: number;
  /** The thread that it replies to. */
  discussion_id: string | null;
  /** For replies: whether publishing resolves or reopens the thread. */
  resolve_discussion: Defaulted<Bit>;
  note: string;
  commit_id: string | null;
  position: Json<Record<string, unknown>> | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type DraftNote = Selectable<DraftNotesTable>;
