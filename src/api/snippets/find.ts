import type { Caller } from '../../access/caller.ts';
import { findProject } from '../../access/lookup.ts';
import { type ProjectPermissions, projectPermissions } from '../../access/permissions.ts';
import { canReadSnippet } from '../../access/snippets.ts';
import { notFound } from '../../core/errors.ts';
import type { Db } from '../../db/schema.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Snippet } from '../../db/tables/snippets.ts';
import type { Deps } from '../../deps.ts';

/** A snippet that the caller may read, with its project; nulls for a personal one. */
export interface SnippetScope {
  snippet: Snippet;
  project: Project | null;
  permissions: ProjectPermissions | null;
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

/**
 * A snippet by its id, be it personal or a project's.
 * @throws ApiError 404 when there is none, or none that the caller may read
 */
export async function findSnippet(deps: Deps, caller: Caller, id: number): Promise<SnippetScope> {
  const snippet = await deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  if (snippet === undefined) throw notFound('Snippet');
  if (snippet.project_id === null) {
    if (!canReadSnippet(caller, snippet, null)) throw notFound('Snippet');
    return { snippet, project: null, permissions: null };
  }
  const found = await findProject(deps, String(snippet.project_id));
  if (found === undefined) throw notFound('Snippet');
  const permissions = await projectPermissions(deps, caller, found.project, found.namespace);
  if (!canReadSnippet(caller, snippet, permissions)) throw notFound('Snippet');
  return { snippet, project: found.project, permissions };
}
