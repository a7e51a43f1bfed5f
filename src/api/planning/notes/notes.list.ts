import { pageOf } from '../../../db/paginate.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Noteable, NoteScope } from './noteable.ts';
import { notesOf } from './notes.find.ts';
import { visibleNotes } from './notes.visible.ts';

export interface NoteList {
  order_by: 'created_at' | 'updated_at';
  sort: 'asc' | 'desc';
  activity_filter: 'all_notes' | 'only_comments' | 'only_activity';
}

/** A page of the notes that the caller may read. */
export async function listNotes(
  deps: Deps,
  scope: Pick<NoteScope, 'caller' | 'permissions'>,
  noteable: Noteable,
  { order_by, sort, activity_filter }: NoteList,
  page: { offset: number; size: number },
): Promise<{ rows: Note[]; total: number }> {
  let query = deps.db
    .selectFrom('notes')
    .selectAll()
    .where(notesOf(noteable))
    .where(await visibleNotes(deps, scope, noteable));
  if (activity_filter !== 'all_notes') query = query.where('system', '=', activity_filter === 'only_activity' ? 1 : 0);
  return pageOf(deps.db, query.orderBy(order_by, sort).orderBy('id', sort), page);
}
