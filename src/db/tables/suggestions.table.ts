import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id } from '../columns.ts';

/** Changes suggested by comments on lines of merge requests: blocks `suggestion` in the text. */
export interface SuggestionsTable {
  id: Id;
  note_id: number;
  /** Position among the suggestions of the note, from 0. */
  relative_order: number;
  /** Number of lines above and below the commented one that are replaced, too. */
  lines_above: number;
  lines_below: number;
  from_content: string;
  to_content: string;
  /** Whether the lines have changed since. */
  outdated: Defaulted<Bit>;
  /** Commit that applied it; null before. */
  commit_id: string | null;
}
export type Suggestion = Selectable<SuggestionsTable>;
