import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Suggestion as SuggestionRow } from '../../../db/tables/suggestions.table.ts';
import type { Deps } from '../../../deps.ts';
import { tipOf } from '../merge-requests/lifecycle/branches.ts';
import type { Position } from '../notes/notes.responses.ts';
import type { SuggestionOnNote } from './suggestions.find.ts';
import type { Suggestion } from './suggestions.responses.ts';
import { inapplicableReason, lineOf, rangeOf } from './suggestions.rules.ts';

/** Notes in one query: each is a parameter, which both databases limit. */
const BATCH_SIZE = 10_000;

/** Suggestions by the id of their note, for notes that can have some. */
export type SuggestionsByNote = ReadonlyMap<number, Suggestion[]>;

/** Whether a note can suggest changes: a comment on lines of a merge request. */
const canSuggest = ({ noteable_type, type, position }: Note): boolean =>
  noteable_type === 'MergeRequest' && type === 'DiffNote' && position !== null;

/** Presents the suggestions of notes, with a bounded number of queries; none if no text has a suggestion. */
export async function presentSuggestions(deps: Deps, notes: readonly Note[]): Promise<SuggestionsByNote> {
  const able = notes.filter(canSuggest);
  const presented = new Map<number, Suggestion[]>(able.map(({ id }) => [id, []]));
  const ids = able.flatMap(({ id, note }) => (note.includes('suggestion') ? [id] : []));
  if (ids.length === 0) return presented;
  const rows: SuggestionRow[] = [];
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const some = deps.db
      .selectFrom('suggestions')
      .selectAll()
      .where('note_id', 'in', ids.slice(at, at + BATCH_SIZE));
    rows.push(...(await some.orderBy('note_id').orderBy('relative_order').execute()));
  }
  const byId = new Map(able.map((note) => [note.id, note]));
  const suggested = rows.map((suggestion) => ({ suggestion, note: byId.get(suggestion.note_id)! }));
  const each = await presentEach(deps, suggested);
  for (const [index, { note }] of suggested.entries()) presented.get(note.id)!.push(each[index]!);
  return presented;
}

/** Presents suggestions, in their order. */
export async function presentEach(deps: Deps, suggested: readonly SuggestionOnNote[]): Promise<Suggestion[]> {
  const pending = suggested.filter(({ suggestion }) => suggestion.commit_id === null && suggestion.outdated === 0);
  const decided = await applicability(
    deps,
    pending.map(({ note }) => note.noteable_id!),
  );
  return suggested.map(({ suggestion, note }) => presentSuggestion(suggestion, note, decided.get(note.noteable_id!)));
}

/** Presents one suggestion. @param on its merge request; absent if that does not matter */
function presentSuggestion(row: SuggestionRow, note: Note, on: Applicability | undefined): Suggestion {
  const { from, to } = rangeOf(row, lineOf(parseJson<Position>(note.position!)));
  return {
    id: row.id,
    from_line: from,
    to_line: to,
    appliable:
      on !== undefined && inapplicableReason(row, note, on.mergeRequest, on.hasBranch, row.outdated === 1) === null,
    applied: row.commit_id !== null,
    from_content: row.from_content,
    to_content: row.to_content,
  };
}

interface Applicability {
  mergeRequest: Pick<MergeRequest, 'state'>;
  hasBranch: boolean;
}

/** What decides about all suggestions of a merge request, by its id. */
async function applicability(deps: Deps, ids: readonly number[]): Promise<Map<number, Applicability>> {
  const mergeRequests = await rowsById(deps.db, 'merge_requests', ids, ['state', 'source_project_id', 'source_branch']);
  const projects = await rowsById(deps.db, 'projects', pluck([...mergeRequests.values()], 'source_project_id'));
  const decided = new Map<number, Applicability>();
  for (const [id, mergeRequest] of mergeRequests) {
    const project = projects.get(mergeRequest.source_project_id ?? 0);
    const looked = mergeRequest.state === 'opened' && project !== undefined;
    const hasBranch = looked && (await tipOf(deps, project, mergeRequest.source_branch)) !== null;
    decided.set(id, { mergeRequest, hasBranch });
  }
  return decided;
}
