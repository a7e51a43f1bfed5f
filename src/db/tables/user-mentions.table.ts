import type { Id } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { NoteableType } from './tables.kinds.ts';

/** Users mentioned with `@` in a description (`note_id` null) or in a note. */
export interface UserMentionsTable {
  id: Id;
  target_type: NoteableType | 'Commit';
  target_id: number;
  note_id: number | null;
  user_id: number;
  project_id: number | null;
}

export const userMentionsOwnership: Ownership<UserMentionsTable> = {
  belongsTo: [{ type: 'target_type', id: 'target_id', goesWith: ['Issue', 'MergeRequest', 'Snippet'] }],
};
