import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Comments and system notes. */
export interface NotesTable {
  id: Id;
  project_id: number | null;
  noteable_type: 'Commit' | 'Issue' | 'MergeRequest' | 'Snippet';
  noteable_id: number | null;
  commit_id: string | null;
  discussion_id: string;
  type: 'DiscussionNote' | 'DiffNote' | null;
  author_id: number;
  note: string;
  position: Json<Record<string, unknown>> | null;
  system: Defaulted<Bit>;
  internal: Defaulted<Bit>;
  resolved_at: Timestamp | null;
  resolved_by_id: number | null;
  /** For system notes: the action, such as `closed`, `cross_reference`, ... */
  system_action: string | null;
  updated_by_id: number | null;
  /** Whether the commented lines have changed since. */
  diff_refs_outdated: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Note = Selectable<NotesTable>;

export const notesOwnership: Ownership<NotesTable> = {
  called: 'Note',
  belongsTo: [{ type: 'noteable_type', id: 'noteable_id', goesWith: ['Issue', 'MergeRequest', 'Snippet'] }],
};
