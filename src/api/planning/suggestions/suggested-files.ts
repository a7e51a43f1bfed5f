import { refused } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Suggestion } from '../../../db/tables/suggestions.table.ts';
import type { FileAction } from '../../../git/commits/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { followSide } from '../discussions/follow.ts';
import type { Position } from '../notes/notes.responses.ts';
import { readFile, seekLine } from './suggestion-source.ts';
import type { SuggestionOnNote } from './suggestions.find.ts';
import { lineOf, OVERLAPPING, outdatedReason, rangeOf } from './suggestions.rules.ts';

interface Placed {
  suggestion: Suggestion;
  from: number;
  to: number;
}

/**
 * The changed files of a commit that applies suggestions.
 * @param base the commit they are applied to; lines are followed from the version of the comment
 * @throws ApiError 400 if lines have changed, or if two suggestions replace the same line
 */
export async function suggestedFiles(
  repo: Repository,
  base: string,
  suggested: readonly SuggestionOnNote[],
): Promise<FileAction[]> {
  const byPath = new Map<string, Placed[]>();
  for (const { suggestion, note } of suggested) {
    const place = await follow(repo, parseJson<Position>(note.position!), base);
    if (place === null) throw refused(outdatedReason(suggestion));
    const placed = { suggestion, ...rangeOf(suggestion, place.line) };
    byPath.set(place.path, [...(byPath.get(place.path) ?? []), placed]);
  }
  const actions: FileAction[] = [];
  for (const [path, placed] of byPath) {
    const data = await readFile(repo, base, path);
    if (data === null) throw refused(outdatedReason(placed[0]!.suggestion));
    placed.sort((one, other) => one.from - other.from);
    if (placed.some(({ from }, index) => index > 0 && placed[index - 1]!.to >= from)) throw refused(OVERLAPPING);
    actions.push({ action: 'update', path, content: replaceLines(data, placed) });
  }
  return actions;
}

/** Where the commented line is in a commit; null if it is gone, or if that is unknown. */
async function follow(
  repo: Repository,
  { head_sha, new_path, new_line }: Position,
  commit: string,
): Promise<{ path: string; line: number } | null> {
  const line = lineOf({ new_line });
  if (head_sha === commit) return { path: new_path, line };
  if ((await repo.objects.commit(head_sha)) === null) return null;
  const place = await followSide(repo, head_sha, commit, new_path, line);
  return place === 'gone' || place == null ? null : place;
}

/** @param placed in the order of their lines @throws ApiError 400 if they replace something else */
function replaceLines(data: Buffer, placed: readonly Placed[]): Buffer {
  const parts: Buffer[] = [];
  let at = { line: 1, offset: 0 };
  for (const { suggestion, from, to } of placed) {
    const start = seekLine(data, at, from);
    const end = seekLine(data, start, to + 1);
    const replaced = data.toString('utf8', start.offset, end.offset);
    if (replaced !== suggestion.from_content) throw refused(outdatedReason(suggestion));
    parts.push(data.subarray(at.offset, start.offset), Buffer.from(suggestion.to_content));
    at = { line: to + 1, offset: end.offset };
  }
  return Buffer.concat([...parts, data.subarray(at.offset)]);
}
