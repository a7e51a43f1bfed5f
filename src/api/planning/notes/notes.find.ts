import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { notFound, recordNotFound } from '../../../core/core.errors.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Noteable, NoteScope } from './noteable.ts';
import { visibleNotes } from './notes.visible.ts';

/** Condition on `notes`: they belong to the noteable. */
export function notesOf(noteable: Noteable): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'notes'>();
  if (noteable.type !== 'Commit') {
    return eb.and([eb('notes.noteable_type', '=', noteable.type), eb('notes.noteable_id', '=', noteable.id)]);
  }
  return eb.and([
    eb('notes.project_id', '=', noteable.projectId),
    eb('notes.commit_id', '=', noteable.sha),
    eb('notes.noteable_type', '=', 'Commit'),
  ]);
}

/**
 * Finds a note of a noteable that the caller may read.
 * @throws ApiError 404 if it does not exist or the caller may not read it
 */
export async function findNote(
  deps: Deps,
  scope: Pick<NoteScope, 'caller' | 'permissions'>,
  noteable: Noteable,
  id: number,
): Promise<Note> {
  const visible = await visibleNotes(deps, scope, noteable);
  const query = deps.db.selectFrom('notes').selectAll().where(notesOf(noteable)).where('id', '=', id);
  return query.where(visible).executeTakeFirstOrThrow(() => notFound('Note'));
}

/** Reloads a note within a transaction. @throws ApiError 404 if it no longer exists */
export async function reloadNote(db: Db, id: number): Promise<Note> {
  return db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}
