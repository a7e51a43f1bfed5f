import { notFound } from '../../../core/core.errors.ts';
import { type PageRange, pageOf } from '../../../db/paginate.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Noteable, NoteScope } from '../notes/noteable.ts';
import { notesOf } from '../notes/notes.find.ts';
import { visibleNotes } from '../notes/notes.visible.ts';

type Reader = Pick<NoteScope, 'caller' | 'permissions'>;

/** A page of the threads that the caller may read, oldest first, each with its notes. */
export async function listDiscussions(
  deps: Deps,
  reader: Reader,
  noteable: Noteable,
  page: PageRange,
): Promise<{ rows: Note[][]; total: number }> {
  const query = deps.db
    .selectFrom('notes')
    .where(notesOf(noteable))
    .where(await visibleNotes(deps, reader, noteable));
  const grouped = query
    .select(({ fn }) => ['discussion_id', fn.min('created_at').as('began'), fn.min('id').as('first')])
    .groupBy('discussion_id')
    .orderBy('began')
    .orderBy('first');
  const { rows, total } = await pageOf(deps.db, grouped, page);
  if (rows.length === 0) return { rows: [], total };
  const ids = rows.map(({ discussion_id }) => discussion_id);
  const notes = await query.selectAll().where('discussion_id', 'in', ids).orderBy('created_at').orderBy('id').execute();
  const byId = Map.groupBy(notes, ({ discussion_id }) => discussion_id);
  return { rows: ids.flatMap((id) => [byId.get(id) ?? []]).filter((each) => each.length > 0), total };
}

/**
 * The notes of a thread that the caller may read, in order; at least one.
 * @throws ApiError 404 `404 Discussion Not Found`
 */
export async function findDiscussion(deps: Deps, reader: Reader, noteable: Noteable, id: string): Promise<Note[]> {
  const notes = await deps.db
    .selectFrom('notes')
    .selectAll()
    .where('discussion_id', '=', id)
    .where(notesOf(noteable))
    .where(await visibleNotes(deps, reader, noteable))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  if (notes.length === 0) throw notFound('Discussion');
  return notes;
}

/** Finds a note of a thread. @throws ApiError 404 */
export function noteIn(discussion: readonly Note[], id: number): Note {
  const note = discussion.find((each) => each.id === id);
  if (note === undefined) throw notFound('Note');
  return note;
}
