import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import { forbidden, notFound } from '../core/core.errors.ts';
import type { Schema } from '../db/db.schema.ts';
import { notDeleted } from '../db/not-deleted.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Snippet } from '../db/tables/snippets.table.ts';
import type { Deps } from '../deps.ts';
import { projectsOf } from './access.membership.ts';
import type { Caller } from './caller.ts';
import { findProject } from './lookup.ts';
import { type ProjectPermissions, projectPermissions } from './permissions.ts';
import { revalidateCaller } from './revalidate.ts';
import { openVisibilities } from './visible-groups.ts';

/**
 * Whether the caller may read the snippet (part 2, section 2): private snippets are visible to their author (in a
 * project: to its members), internal ones to all users except external ones, public ones to everyone.
 * @param permissions in the snippet's project; null for a personal snippet
 */
export function canReadSnippet(caller: Caller, snippet: Snippet, permissions: ProjectPermissions | null): boolean {
  if (caller.admin) return true;
  const { user } = caller;
  if (permissions !== null && !permissions.can('read_snippet')) return false;
  if (user !== null && snippet.author_id === user.id) return true;
  if (permissions !== null && permissions.level >= AccessLevel.guest) return true;
  return openVisibilities(caller).includes(snippet.visibility);
}

/**
 * Whether the caller may change and delete the snippet: its author (in a project: while they may create snippets
 * there), Maintainers of its project and administrators.
 * @param permissions in the snippet's project; null for a personal snippet
 */
export function canUpdateSnippet(caller: Caller, snippet: Snippet, permissions: ProjectPermissions | null): boolean {
  if (caller.user === null) return false;
  const author = snippet.author_id === caller.user.id;
  if (permissions === null) return author || caller.admin;
  return permissions.can('update_snippet', author ? { as: 'author' } : {});
}

/** A snippet that the caller may read, with its project; nulls for a personal one. */
export interface SnippetScope {
  snippet: Snippet;
  project: Project | null;
  permissions: ProjectPermissions | null;
}

/** Finds a personal or project snippet by its id; undefined if there is none that the caller may read. */
export async function findSnippet(deps: Deps, caller: Caller, id: number): Promise<SnippetScope | undefined> {
  const snippet = await deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  if (snippet === undefined) return undefined;
  if (snippet.project_id === null) {
    return canReadSnippet(caller, snippet, null) ? { snippet, project: null, permissions: null } : undefined;
  }
  const place = await findProject(deps, String(snippet.project_id));
  if (place === undefined) return undefined;
  const permissions = await projectPermissions(deps, caller, place.project, place.namespace);
  return canReadSnippet(caller, snippet, permissions) ? { snippet, project: place.project, permissions } : undefined;
}

/**
 * Checks again, after a wait, that the caller may update the snippet.
 * @throws ApiError 401, 403, 404
 */
export async function requireSnippetUpdate(deps: Deps, caller: Caller, id: number): Promise<void> {
  const now = await revalidateCaller(deps, caller);
  const scope = await findSnippet(deps, now, id);
  if (scope === undefined) throw notFound('Snippet');
  if (!canUpdateSnippet(now, scope.snippet, scope.permissions)) throw forbidden();
}

/** A condition on the rows of `snippets`, for `where`. */
type SnippetCondition = (eb: ExpressionBuilder<Schema, 'snippets'>) => Expression<SqlBool>;

/**
 * Condition on all snippets that the caller may read, in the sense of `canReadSnippet`.
 * @param day today, `YYYY-MM-DD`
 */
export function readableSnippets(caller: Caller, day: string): SnippetCondition {
  if (caller.admin) return (eb) => eb.lit(true);
  const userId = caller.user?.id ?? 0;
  const open = openVisibilities(caller);
  return (eb) => {
    const forAnyone = eb.or([eb('snippets.visibility', 'in', open), eb('snippets.author_id', '=', userId)]);
    const project = (condition: Expression<SqlBool>) =>
      eb.exists(
        eb
          .selectFrom('projects as p')
          .select('p.id')
          .whereRef('p.id', '=', 'snippets.project_id')
          .where(notDeleted('p'))
          .where(condition),
      );
    const member = sql<SqlBool>`p.snippets_access_level <> 'disabled'
      and p.id in ${projectsOf(userId, AccessLevel.guest, day)}`;
    const visitor = sql<SqlBool>`p.snippets_access_level in ('enabled', 'public')
      and p.visibility in (${sql.join(open)})`;
    return eb.or([
      eb.and([eb('snippets.project_id', 'is', null), forAnyone]),
      eb.and([eb('snippets.project_id', 'is not', null), project(member)]),
      eb.and([eb('snippets.project_id', 'is not', null), forAnyone, project(visitor)]),
    ]);
  };
}
