import type { Db } from '../../../db/db.schema.ts';
import { pageOf } from '../../../db/paginate.ts';

/** A page of the comments on a commit, oldest first. */
export function commitNotes(db: Db, projectId: number, commit: string, page: { offset: number; size: number }) {
  const query = db
    .selectFrom('notes')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('commit_id', '=', commit)
    .where('noteable_type', '=', 'Commit');
  return pageOf(db, query.orderBy('created_at').orderBy('id'), page);
}
