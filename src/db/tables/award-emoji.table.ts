import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { NoteableType } from './tables.kinds.ts';

export interface AwardEmojiTable {
  id: Id;
  awardable_type: NoteableType | 'Note';
  awardable_id: number;
  user_id: number;
  /** Null for personal snippets and their notes. */
  project_id: number | null;
  name: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type AwardEmoji = Selectable<AwardEmojiTable>;

export const awardEmojiOwnership: Ownership<AwardEmojiTable> = {
  belongsTo: [{ type: 'awardable_type', id: 'awardable_id', goesWith: ['Issue', 'MergeRequest', 'Snippet', 'Note'] }],
};
