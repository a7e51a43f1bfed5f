import type { Caller } from '../../access/caller.ts';
import type { ProjectPermissions } from '../../access/permissions.ts';
import { notFound } from '../../core/errors.ts';
import type { Db } from '../../db/schema.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Snippet } from '../../db/tables/snippets.ts';

/**
 * Whether the caller may read the snippet (part 2, section 2): private ones are for their author (in a project for its
 * members), internal ones for every user but external ones, public ones for everyone.
 * @param permissions in the snippet's project; null for a personal snippet
 */
export function canReadSnippet(caller: Caller, snippet: Snippet, permissions: ProjectPermissions | null): boolean {
  if (caller.admin) return true;
  const { user } = caller;
  if (permissions !== null && !permissions.can('read_snippet')) return false;
  if (user !== null && snippet.author_id === user.id) return true;
  if (permissions !== null && permissions.level > 0) return true;
  return snippet.visibility === 'public' || (snippet.visibility === 'internal' && user !== null && user.external === 0);
}

/**
 * A snippet of the project by its id.
 * @throws ApiError 404 when there is none, or none that the caller may read
 */
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
