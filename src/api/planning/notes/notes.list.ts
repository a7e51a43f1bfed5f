import type { Deps } from '../../../deps.ts';
import type { Noteable, NoteScope } from './noteable.ts';
import { notesOf } from './notes.find.ts';
import { visibleNotes } from './notes.visible.ts';

interface NoteListFilters {
  order_by: 'created_at' | 'updated_at';
  sort: 'asc' | 'desc';
  activity_filter: 'all_notes' | 'only_comments' | 'only_activity';
}

/** Query for the notes that the caller may read. */
export async function noteList(
  deps: Deps,
  scope: Pick<NoteScope, 'caller' | 'permissions'>,
  noteable: Noteable,
  { order_by, sort, activity_filter }: NoteListFilters,
) {
  let query = deps.db
    .selectFrom('notes')
    .selectAll()
    .where(notesOf(noteable))
    .where(await visibleNotes(deps, scope, noteable));
  if (activity_filter !== 'all_notes') query = query.where('system', '=', activity_filter === 'only_activity' ? 1 : 0);
  return query.orderBy(order_by, sort).orderBy('id', sort);
}
