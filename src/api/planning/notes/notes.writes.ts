import type { Insertable } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import { noteFacts } from '../../../core/event-facts.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Note, NotesTable } from '../../../db/tables/notes.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { recordSuggestions, replaceSuggestions } from '../suggestions/record-suggestions.ts';
import type { SuggestionSource } from '../suggestions/suggestion-source.ts';
import { markTodosDone } from '../todos/todos.record.ts';
import type { Noteable } from './noteable.ts';
import { reloadNote } from './notes.find.ts';
import { mayDate, type Writer } from './notes.rights.ts';
import { newDiscussionId } from './system-note.ts';

/** Maximum length of a note, as on the platform. */
export const MAX_NOTE = 1_000_000;

/** A note to write. */
export interface NewNote {
  body: string;
  internal?: boolean;
  /** Requested creation time; ignored unless the writer is an owner or administrator. */
  createdAt?: string | undefined;
  /** Null for a single note without thread. */
  type: Note['type'];
  /** Id of the thread to reply to; a new one when absent. */
  discussionId?: string;
  position?: object | null;
  /** Commit of a merge request to comment on. */
  commitId?: string | null;
  /** Whether it is published as part of a review. */
  inReview?: boolean;
  /** What its suggestions are made from; without suggestions when absent. */
  source?: SuggestionSource | null;
}

/** Counts a new note for the rate limit. @throws ApiError 429 beyond the limit per user and minute */
export const countNote = (deps: Deps, { caller }: Pick<Writer, 'caller'>): void =>
  deps.limiter.check('notes_create', String(caller.user.id), perMinute(deps.settings.now.notes_create_limit));

/** @throws ApiError 400 for a blank note */
export function requireBody(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}');
}

/**
 * Writes a note and its event.
 * @param within further work in the same transaction, before the note
 * @throws ApiError 400 for a blank note, 404 if the noteable no longer exists
 */
export async function writeNote(
  deps: Deps,
  writer: Writer,
  noteable: Noteable,
  draft: NewNote,
  within?: (db: Db) => Promise<void>,
): Promise<Note> {
  requireBody(draft.body);
  return deps.db.transaction().execute((db) => writeNoteInTransaction(deps, db, writer, noteable, draft, within));
}

/** As `writeNote`, with the handle of a transaction, for a non-blank text. */
export async function writeNoteInTransaction(
  deps: Deps,
  db: Db,
  writer: Writer,
  noteable: Noteable,
  draft: NewNote,
  within?: (db: Db) => Promise<void>,
): Promise<Note> {
  const { id: userId } = writer.caller.user;
  const now = timestamp(deps.clock);
  const at = (mayDate(writer) ? draft.createdAt : undefined) ?? now;
  const internal = draft.internal ?? false;
  await touchNoteable(db, noteable, now, internal ? 0 : 1);
  await within?.(db);
  const row = await insertNote(db, {
    project_id: noteable.projectId,
    noteable_type: noteable.type,
    noteable_id: noteable.id,
    commit_id: noteable.type === 'Commit' ? noteable.sha : (draft.commitId ?? null),
    discussion_id: draft.discussionId ?? newDiscussionId(),
    type: draft.type,
    author_id: userId,
    note: draft.body,
    position: draft.position == null ? null : JSON.stringify(draft.position),
    internal: bit(internal),
    resolved_at: null,
    resolved_by_id: null,
    created_at: at,
    updated_at: at,
  });
  await recordSuggestions(db, row.id, row.note, draft.source ?? null);
  await recordNote(deps, db, noteable, 'note.created', row, userId, draft.inReview === true);
  await markTodosDone(deps, db, noteable, userId);
  return row;
}

/**
 * Changes the text of a note, and its suggestions with it.
 * @param source what the suggestions are made from; null for none
 * @throws ApiError 400 for a blank text, 404 if it no longer exists
 */
export async function changeNote(
  deps: Deps,
  { caller }: Writer,
  noteable: Noteable,
  id: number,
  body: string,
  source: SuggestionSource | null,
): Promise<Note> {
  requireBody(body);
  const now = timestamp(deps.clock);
  return inTransaction(deps.db, async (db) => {
    await touchNoteable(db, noteable, now, 0);
    const row = await db
      .updateTable('notes')
      .set({ note: body, updated_at: now, updated_by_id: caller.user.id })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    if (row.type === 'DiffNote') await replaceSuggestions(db, id, body, source);
    await recordNote(deps, db, noteable, 'note.updated', row, caller.user.id);
    await markTodosDone(deps, db, noteable, caller.user.id);
    return row;
  });
}

/** Deletes a note with its reactions and feed entries. @throws ApiError 404 if it no longer exists */
export async function removeNote(deps: Deps, { caller }: Writer, noteable: Noteable, id: number): Promise<void> {
  await inTransaction(deps.db, async (db) => {
    const note = await reloadNote(db, id);
    await touchNoteable(db, noteable, timestamp(deps.clock), note.internal === 1 ? 0 : -1);
    await db.deleteFrom('award_emoji').where('awardable_type', '=', 'Note').where('awardable_id', '=', id).execute();
    await db
      .deleteFrom('events')
      .where('target_type', 'in', ['Note', 'DiffNote', 'DiscussionNote'])
      .where('target_id', '=', id)
      .execute();
    const { numDeletedRows } = await db.deleteFrom('notes').where('id', '=', id).executeTakeFirst();
    // A concurrent request deleted it and has already updated the count.
    if (numDeletedRows === 0n) throw recordNotFound();
    const { project_id, noteable_type, noteable_id } = note;
    await deps.events.record(
      db,
      'note.destroyed',
      { note_id: id, project_id, noteable_type, noteable_id, note: noteFacts(note) },
      { projectId: project_id, actorId: caller.user.id },
    );
  });
}

/** Records the event of a new or changed note. */
async function recordNote(
  deps: Deps,
  db: Db,
  { confidential = false }: Noteable,
  type: 'note.created' | 'note.updated',
  note: Note,
  actorId: number,
  inReview = false,
): Promise<void> {
  const { id, project_id, noteable_type } = note;
  const facts = { note_id: id, project_id, noteable_type, note: noteFacts(note), confidential };
  const payload = inReview ? { ...facts, in_review: true } : facts;
  await deps.events.record(db, type, payload, { projectId: project_id, actorId });
}

/** Records the event of a resolved or reopened thread. */
export async function recordResolution(deps: Deps, db: Db, note: Note, actorId: number): Promise<void> {
  const { id, project_id, noteable_type } = note;
  const payload = { note_id: id, project_id, noteable_type, note: noteFacts(note), resolved: true };
  await deps.events.record(db, 'note.updated', payload, { projectId: project_id, actorId });
}

const insertNote = (db: Db, values: Insertable<NotesTable>): Promise<Note> =>
  db.insertInto('notes').values(values).returningAll().executeTakeFirstOrThrow();

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Snippet: 'snippets' } as const;

/**
 * Updates the noteable's time and number of notes. Must come first in a transaction: it locks the row against deletion
 * and merging.
 * @param added number of added notes, without internal and system notes
 * @throws ApiError 404 if the noteable no longer exists
 */
export async function touchNoteable(db: Db, noteable: Noteable, now: string, added: -1 | 0 | 1): Promise<void> {
  if (noteable.type === 'Commit') return;
  const { numUpdatedRows } = await db
    .updateTable(TABLES[noteable.type])
    .set((eb) => ({ updated_at: now, user_notes_count: eb('user_notes_count', '+', added) }))
    .where('id', '=', noteable.id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw recordNotFound();
}
