import type { Static } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { Note as NoteRow } from '../../../db/tables/notes.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { presentSuggestions, type SuggestionsByNote } from '../suggestions/suggestions.views.ts';
import type { Noteable } from './noteable.ts';
import type { Discussion, Note, Position } from './notes.responses.ts';

/** Whether the note is resolvable: a comment in a thread of a merge request. */
export const isResolvable = ({ noteable_type, type, system }: NoteRow): boolean =>
  noteable_type === 'MergeRequest' && type !== null && system === 0;

/** Presents notes of one noteable, with one query for all authors and resolvers, and those for suggestions. */
export async function presentNotes(
  deps: Deps,
  noteable: Pick<Noteable, 'iid'>,
  notes: readonly NoteRow[],
): Promise<Note[]> {
  const ids = notes.flatMap(({ author_id, resolved_by_id }) => [author_id, resolved_by_id]);
  const users = await usersById(deps.db, ids);
  const suggestions = await presentSuggestions(deps, notes);
  return notes.map((note) => presentNote(deps, noteable, note, users, suggestions));
}

/** Presents one note. @param commands_changes changes that its quick actions just made */
export async function presentOne(
  deps: Deps,
  noteable: Pick<Noteable, 'iid'>,
  note: NoteRow,
  commands_changes: Note['commands_changes'] = {},
): Promise<Note> {
  return { ...(await presentNotes(deps, noteable, [note]))[0]!, commands_changes };
}

/** Presents threads; each has at least one note. */
export async function presentDiscussions(
  deps: Deps,
  noteable: Pick<Noteable, 'iid'>,
  discussions: readonly (readonly NoteRow[])[],
): Promise<Static<typeof Discussion>[]> {
  const notes = new Map((await presentNotes(deps, noteable, discussions.flat())).map((note) => [note.id, note]));
  return discussions.map((rows) => ({
    id: rows[0]!.discussion_id,
    individual_note: rows[0]!.type === null,
    notes: rows.map(({ id }) => notes.get(id)!),
  }));
}

/** Presents one note with loaded users and suggestions. */
export function presentNote(
  deps: Deps,
  { iid }: Pick<Noteable, 'iid'>,
  note: NoteRow,
  users: ReadonlyMap<number, User>,
  suggestions: SuggestionsByNote,
): Note {
  const suggested = suggestions.get(note.id);
  const resolver = users.get(note.resolved_by_id ?? 0);
  const resolvable = isResolvable(note);
  return {
    id: note.id,
    type: note.type,
    body: note.note,
    attachment: null,
    author: userBasic(deps, users.get(note.author_id)!),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system === 1,
    noteable_id: note.noteable_id,
    noteable_type: note.noteable_type,
    project_id: note.project_id,
    ...(note.noteable_type === 'Commit' || note.type === 'DiffNote' ? { commit_id: note.commit_id } : {}),
    ...(note.position === null ? {} : { position: parseJson<Position>(note.position) }),
    ...(suggested === undefined ? {} : { suggestions: suggested }),
    resolvable,
    ...(resolvable
      ? {
          resolved: note.resolved_at !== null,
          resolved_by: resolver === undefined ? null : userBasic(deps, resolver),
          resolved_at: note.resolved_at,
        }
      : {}),
    confidential: note.internal === 1,
    internal: note.internal === 1,
    imported: false,
    imported_from: 'none',
    noteable_iid: iid,
    commands_changes: {},
  };
}
