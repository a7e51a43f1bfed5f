import type { UserCaller } from '../../../access/caller.ts';
import { type CallerInProject, callerInProject } from '../../../access/caller-in-project.ts';
import { refused } from '../../../core/core.errors.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Suggestion } from '../../../db/tables/suggestions.table.ts';
import type { Deps } from '../../../deps.ts';
import { visibleNotes } from '../notes/notes.visible.ts';

/** A suggestion, with its comment. */
export interface SuggestionOnNote {
  suggestion: Suggestion;
  note: Note;
}

/** Suggestions of one merge request that the caller may read, with the caller in its project. */
export interface FoundSuggestions {
  mergeRequest: MergeRequest;
  target: CallerInProject<UserCaller>;
  suggested: SuggestionOnNote[];
}

/**
 * Finds suggestions by their ids, by merge request, in the order of the ids.
 * @throws ApiError 404 if one of them does not exist, is named twice, or is not for the caller to read
 */
export async function findSuggestions(
  deps: Deps,
  caller: UserCaller,
  ids: readonly number[],
): Promise<[FoundSuggestions, ...FoundSuggestions[]]> {
  const suggestions = await rowsById(deps.db, 'suggestions', ids);
  if (suggestions.size < ids.length) throw missing(ids);
  const rows = [...suggestions.values()] as Suggestion[];
  const notes = (await rowsById(
    deps.db,
    'notes',
    rows.map(({ note_id }) => note_id),
  )) as Map<number, Note>;
  const mergeRequests = new Map<number, FoundSuggestions>();
  for (const id of ids) {
    const suggestion = suggestions.get(id) as Suggestion;
    const note = notes.get(suggestion.note_id);
    if (note === undefined) throw missing(ids);
    const on = note.noteable_id!;
    const found = mergeRequests.get(on) ?? (await findMergeRequestOf(deps, caller, on));
    if (found === undefined) throw missing(ids);
    mergeRequests.set(on, found);
    found.suggested.push({ suggestion, note });
  }
  for (const found of mergeRequests.values()) if (!(await areVisible(deps, found))) throw missing(ids);
  return [...mergeRequests.values()] as [FoundSuggestions, ...FoundSuggestions[]];
}

/** The merge request, without suggestions yet; undefined if the caller may not read it. */
async function findMergeRequestOf(deps: Deps, caller: UserCaller, id: number): Promise<FoundSuggestions | undefined> {
  const mergeRequest = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  if (mergeRequest === undefined) return undefined;
  const target = await callerInProject(deps, caller, mergeRequest.project_id);
  if (target?.permissions.can('read_merge_request') !== true) return undefined;
  return { mergeRequest, target, suggested: [] };
}

/** Whether the caller may read all comments of the suggestions. */
async function areVisible(deps: Deps, { mergeRequest, target, suggested }: FoundSuggestions): Promise<boolean> {
  const ids = [...new Set(suggested.map(({ note }) => note.id))];
  const visible = await deps.db
    .selectFrom('notes')
    .select('id')
    .where('id', 'in', ids)
    .where(await visibleNotes(deps, target, { type: 'MergeRequest', id: mergeRequest.id }))
    .execute();
  return visible.length === ids.length;
}

const missing = ({ length }: readonly number[]) =>
  length === 1
    ? refused('Suggestion is not applicable as the suggestion was not found.', 404)
    : refused('Suggestions are not applicable as one or more suggestions were not found.', 404);
