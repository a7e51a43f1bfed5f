import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Suggestion } from '../../../db/tables/suggestions.table.ts';
import type { Position } from '../notes/notes.responses.ts';

const NOT_APPLICABLE = "Can't apply this suggestion.";
const CLOSED: Readonly<Partial<Record<MergeRequest['state'], string>>> = {
  merged: 'This merge request was merged. To apply this suggestion, edit this file directly.',
  closed: 'This merge request is closed. To apply this suggestion, edit this file directly.',
};
export const OTHER_MERGE_REQUEST = 'Suggestions must all be on the same branch.';
export const OVERLAPPING = 'Suggestions are not applicable as their lines cannot overlap.';
export const SOURCE_GONE = "Can't apply as the source branch was deleted.";

/** A suggestion, as far as the decision about it goes. */
type Suggested = Pick<Suggestion, 'commit_id' | 'lines_above' | 'lines_below' | 'from_content' | 'to_content'>;

/** First and last line that a suggestion replaces; the file may end before the last one. */
export function rangeOf(
  { lines_above, lines_below }: Pick<Suggestion, 'lines_above' | 'lines_below'>,
  line: number,
): { from: number; to: number } {
  return { from: Math.max(1, line - lines_above), to: line + lines_below };
}

/** The commented line of a position. */
export const lineOf = ({ new_line }: Pick<Position, 'new_line'>): number => new_line ?? 1;

/** Why a suggestion whose lines have changed cannot be applied. */
export function outdatedReason({ lines_above, lines_below }: Suggested): string {
  const lines = lines_above + lines_below === 0 ? 'this line was' : 'these lines were';
  return `Can't apply as ${lines} changed in a more recent version.`;
}

/**
 * Returns why a suggestion cannot be applied; null if it can.
 * @param hasBranch whether the source branch exists
 * @param outdated whether its lines are known to have changed
 */
export function inapplicableReason(
  suggestion: Suggested,
  { diff_refs_outdated }: Pick<Note, 'diff_refs_outdated'>,
  { state }: Pick<MergeRequest, 'state'>,
  hasBranch: boolean,
  outdated: boolean,
): string | null {
  if (suggestion.commit_id !== null) return NOT_APPLICABLE;
  if (state !== 'opened') return CLOSED[state] ?? NOT_APPLICABLE;
  if (!hasBranch) return SOURCE_GONE;
  if (outdated || diff_refs_outdated === 1) return outdatedReason(suggestion);
  if (suggestion.from_content === suggestion.to_content) return 'This suggestion already matches its content.';
  return null;
}
