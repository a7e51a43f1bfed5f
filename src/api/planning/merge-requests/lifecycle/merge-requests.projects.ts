import type { Db } from '../../../../db/db.schema.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

/** The source or target project of a merge request; undefined if it was deleted. */
export async function projectOf(db: Db, id: number | null): Promise<Project | undefined> {
  if (id === null) return undefined;
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
}
