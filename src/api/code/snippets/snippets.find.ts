import { canReadSnippet } from '../../../access/access.snippets.ts';
import type { Caller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Snippet } from '../../../db/tables/snippets.table.ts';

/** Returns a snippet of a project. @throws ApiError 404 if there is none that the caller may read */
export async function findProjectSnippet(
  db: Db,
  { project, permissions, caller }: { project: Project; permissions: ProjectPermissions; caller: Caller },
  id: number,
): Promise<Snippet> {
  const snippet = await db
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  if (snippet === undefined || !canReadSnippet(caller, snippet, permissions)) throw notFound('Snippet');
  return snippet;
}
