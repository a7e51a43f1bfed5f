import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableType, NoteableType } from './tables.kinds.ts';

/** Mentions of issues and merge requests, each recorded once. */
export interface CrossReferencesTable {
  id: Id;
  target_type: IssuableType;
  target_id: number;
  source_type: NoteableType | 'Commit';
  source_id: number | null;
  source_sha: string | null;
  /** The source as one text: `Issue:12`, `Commit:5:<sha>`. */
  source_key: string;
  source_project_id: number | null;
  target_project_id: number | null;
  /** The system note about it, which is visible to those who may see the source. */
  note_id: number | null;
  created_at: Timestamp;
}

export const crossReferencesOwnership: Ownership<CrossReferencesTable> = {
  belongsTo: [
    { type: 'source_type', id: 'source_id', goesWith: ['Issue', 'MergeRequest', 'Snippet'], takesNote: 'note_id' },
    { type: 'target_type', id: 'target_id', goesWith: ['Issue', 'MergeRequest'] },
  ],
};
