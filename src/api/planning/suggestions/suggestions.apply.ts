import type { UserCaller } from '../../../access/caller.ts';
import { type CallerInProject, callerInProject } from '../../../access/caller-in-project.ts';
import { usersOfIds } from '../../../access/find-by-id.ts';
import { revalidateCaller } from '../../../access/revalidate.ts';
import { forbidden, recordNotFound, refused } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Suggestion } from '../../../db/tables/suggestions.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { collaborationBranches } from '../../../repositories/collaboration.ts';
import { commitFiles } from '../../../repositories/commit-files.ts';
import { type Actor, canPushTo, loadProtections } from '../../../repositories/repository.protections.ts';
import { settingsOf } from '../../spaces/index.ts';
import { tipOf } from '../merge-requests/lifecycle/branches.ts';
import { lockMergeRequest } from '../merge-requests/lifecycle/merge-requests.lock.ts';
import type { Noteable } from '../notes/noteable.ts';
import type { Position } from '../notes/notes.responses.ts';
import { mayResolve } from '../notes/notes.rights.ts';
import { suggestedFiles } from './suggested-files.ts';
import { type FoundSuggestions, findSuggestions, type SuggestionOnNote } from './suggestions.find.ts';
import { emailOf, suggestionMessage } from './suggestions.message.ts';
import { inapplicableReason, OTHER_MERGE_REQUEST, SOURCE_GONE } from './suggestions.rules.ts';

type Pusher = CallerInProject<UserCaller> & Actor & { caller: UserCaller };

/**
 * Applies suggestions of one merge request by one commit on its source branch. Its author is the author of the
 * suggestions, or the caller if there are several; the caller commits it. Their threads are resolved if the caller may.
 * @param message template of the commit message; that of the project when absent
 * @throws ApiError 400 if one of them cannot be applied, 403 if the caller may not push to the source branch, 404 if one
 *   of them does not exist or is not for the caller to read
 */
export async function applySuggestions(
  deps: Deps,
  caller: UserCaller,
  ids: readonly number[],
  message: string | undefined,
): Promise<void> {
  const found = await findSuggestions(deps, caller, ids);
  const pushers: (Pusher | null)[] = [];
  for (const { mergeRequest } of found) pushers.push(await pusherOf(deps, caller, mergeRequest));
  if (found.length > 1) throw refused(OTHER_MERGE_REQUEST);
  const [{ mergeRequest, target, suggested }] = found;
  const source = pushers[0]!;
  const hasBranch = source !== null && (await tipOf(deps, source.project, mergeRequest.source_branch)) !== null;
  for (const each of suggested) refuseInapplicable(each, mergeRequest, hasBranch);
  if (source === null) throw refused(SOURCE_GONE);
  const authors = await authorsOf(deps, suggested);
  const [author, ...others] = authors;
  const resolves = await mayResolve(target, noteableOf(mergeRequest));
  await commitFiles(deps, {
    project: source.project,
    actor: source,
    branch: mergeRequest.source_branch,
    message: suggestionMessage({
      message,
      template: settingsOf(target.project).suggestion_commit_message,
      project: target.project,
      branch: mergeRequest.source_branch,
      paths: [...new Set(suggested.map(({ note }) => parseJson<Position>(note.position!).new_path))],
      count: suggested.length,
      user: caller.user,
      authors,
    }),
    actions: (repo, base) => {
      if (base === null) throw refused(SOURCE_GONE);
      return suggestedFiles(repo, base, suggested);
    },
    ...(author === undefined || others.length > 0 ? {} : { authorName: author.name, authorEmail: emailOf(author) }),
    notAllowed: 403,
    cause: (commit_id) => ({
      type: 'suggestions',
      merge_request_id: mergeRequest.id,
      suggestion_ids: [...ids],
      commit_id,
      resolves,
    }),
    guard: (deps) => requireSame(deps, caller, found[0], resolves),
  });
}

/**
 * The caller in the source project, with their right to push to the source branch; null if the project is gone.
 * @throws ApiError 403 if they may not
 */
async function pusherOf(
  deps: Deps,
  caller: UserCaller,
  { source_project_id, source_branch }: MergeRequest,
): Promise<Pusher | null> {
  const scope = source_project_id === null ? undefined : await callerInProject(deps, caller, source_project_id);
  if (scope === undefined) return null;
  const pushes = scope.permissions.can('push_code');
  const actor = { ...scope, ...(pushes ? {} : { collaborates: await collaborationBranches(deps, scope) }) };
  const allowed = await canPushTo(deps, actor, await loadProtections(deps, scope.project.id), source_branch);
  if (!allowed || !scope.permissions.can('read_project')) throw forbidden();
  return actor;
}

/** @throws ApiError 400 with the reason; whether the lines have changed is decided with the commit */
function refuseInapplicable({ suggestion, note }: SuggestionOnNote, on: MergeRequest, hasBranch: boolean): void {
  const reason = inapplicableReason(suggestion, note, on, hasBranch, false);
  if (reason !== null) throw refused(reason);
}

/** Users who made the suggestions, in the order of these. */
async function authorsOf({ db }: Deps, suggested: readonly SuggestionOnNote[]): Promise<User[]> {
  const ids = [...new Set(suggested.map(({ note }) => note.author_id))];
  const users = await usersOfIds(db, { ids });
  return ids.flatMap((id) => users.find((user) => user.id === id) ?? []);
}

const noteableOf = (row: MergeRequest): Noteable => ({
  type: 'MergeRequest',
  id: row.id,
  iid: row.iid,
  projectId: row.project_id,
  authorId: row.author_id,
  locked: row.discussion_locked === 1,
});

/**
 * Checks everything about the suggestions again, in the transaction that announces their commit.
 * @param resolves whether their threads are going to be resolved
 */
async function requireSame(
  deps: Deps,
  caller: UserCaller,
  { mergeRequest, suggested }: FoundSuggestions,
  resolves: boolean,
): Promise<void> {
  const locked = await lockMergeRequest(deps.db, mergeRequest.id);
  const ids = suggested.map(({ suggestion }) => suggestion.id);
  const [now] = await findSuggestions(deps, await revalidateCaller(deps, caller), ids);
  if (locked === undefined) throw refused(SOURCE_GONE);
  const sameSource =
    locked.source_project_id === mergeRequest.source_project_id && locked.source_branch === mergeRequest.source_branch;
  for (const each of now.suggested) refuseInapplicable(each, locked, sameSource);
  const changed = now.suggested.some(({ suggestion }, index) => isOther(suggestion, suggested[index]!.suggestion));
  if (changed) throw refused('The suggestion was changed in the meantime. Review it and try again.');
  if (resolves && !(await mayResolve(now.target, noteableOf(locked)))) throw forbidden();
}

const isOther = (one: Suggestion, other: Suggestion): boolean =>
  one.to_content !== other.to_content ||
  one.from_content !== other.from_content ||
  one.lines_above !== other.lines_above ||
  one.lines_below !== other.lines_below;

/** The suggestions as they are now, in the order of the ids. @throws ApiError 404 if one no longer exists */
export async function reloadSuggestions({ db }: Deps, ids: readonly number[]): Promise<SuggestionOnNote[]> {
  const suggestions = (await rowsById(db, 'suggestions', ids)) as Map<number, Suggestion>;
  const noteIds = [...suggestions.values()].map(({ note_id }) => note_id);
  const notes = (await rowsById(db, 'notes', noteIds)) as Map<number, SuggestionOnNote['note']>;
  return ids.map((id) => {
    const suggestion = suggestions.get(id);
    const note = notes.get(suggestion?.note_id ?? 0);
    if (suggestion === undefined || note === undefined) throw recordNotFound();
    return { suggestion, note };
  });
}
