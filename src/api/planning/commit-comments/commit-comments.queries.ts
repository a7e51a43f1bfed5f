import type { Db } from '../../../db/db.schema.ts';

/** Query for the comments on a commit, oldest first. */
export const commitNotes = (db: Db, projectId: number, commit: string) =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('commit_id', '=', commit)
    .where('noteable_type', '=', 'Commit')
    .orderBy('created_at')
    .orderBy('id');
