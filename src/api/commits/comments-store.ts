import type { Insertable } from 'kysely';
import { pageOf } from '../../db/paginate.ts';
import type { Db } from '../../db/schema.ts';
import type { Note, NotesTable } from '../../db/tables/repositories.ts';

interface Page {
  offset: number;
  size: number;
}

const notesOf = (db: Db, projectId: number, commit: string) =>
  db
    .selectFrom('notes')
    .where('project_id', '=', projectId)
    .where('commit_id', '=', commit)
    .where('noteable_type', '=', 'Commit');

/** A page of a commit's comments, oldest first. */
export function commitNotes(db: Db, projectId: number, commit: string, page: Page) {
  return pageOf(db, notesOf(db, projectId, commit).selectAll().orderBy('created_at').orderBy('id'), page);
}

/** A page of a commit's discussions, the one that began first at its head, each with its notes. */
export async function commitDiscussions(
  db: Db,
  projectId: number,
  commit: string,
  page: Page,
): Promise<{ discussions: Note[][]; total: number }> {
  const query = notesOf(db, projectId, commit)
    .select(['discussion_id', (eb) => eb.fn.min('id').as('first')])
    .groupBy('discussion_id')
    .orderBy('first');
  const { rows, total } = await pageOf(db, query, page);
  if (rows.length === 0) return { discussions: [], total };
  const ids = rows.map(({ discussion_id }) => discussion_id);
  const notes = await notesOf(db, projectId, commit)
    .selectAll()
    .where('discussion_id', 'in', ids)
    .orderBy('id')
    .execute();
  const byId = Map.groupBy(notes, ({ discussion_id }) => discussion_id);
  return { discussions: ids.map((id) => byId.get(id)!), total };
}

export const insertNote = (db: Db, values: Insertable<NotesTable>): Promise<Note> =>
  db.insertInto('notes').values(values).returningAll().executeTakeFirstOrThrow();
