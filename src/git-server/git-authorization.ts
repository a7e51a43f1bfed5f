import { effectivePlan, includesPlan } from '../access/access.plan.ts';
import type { Caller } from '../access/caller.ts';
import { findMoved, findNamespace, findProject, type ProjectWithNamespace } from '../access/lookup.ts';
import { refused, unauthorized } from '../core/core.errors.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Deps } from '../deps.ts';

export type GitOperation = 'read' | 'write';

/** Scopes that permit reads and writes of a repository. */
const READ_SCOPES = ['api', 'read_api', 'read_repository', 'write_repository'];
export const WRITE_SCOPES: readonly string[] = ['api', 'write_repository'];

export const isAnonymous = ({ credential }: Caller): boolean => credential.kind === 'none';

/** Error for objects that the caller may not see: 401 for anonymous callers, 404 for all others. */
export const notVisible = (caller: Caller, what: 'project' | 'snippet' | 'wiki') =>
  isAnonymous(caller)
    ? unauthorized()
    : refused(`The ${what} you were looking for could not be found or you don't have permission to view it.`, 404);

/** @throws ApiError 401 for anonymous writes, 403 for a token without the scope */
export function checkScopes(caller: Caller, wants: GitOperation): void {
  if (isAnonymous(caller)) {
    if (wants === 'write') throw unauthorized();
    return;
  }
  const enough = wants === 'read' ? READ_SCOPES : WRITE_SCOPES;
  if (caller.scopes === null || caller.scopes.some((scope) => enough.includes(scope))) return;
  throw refused(`The token lacks the scope ${wants === 'read' ? 'read_repository' : 'write_repository'}.`, 403);
}

/** Finds a project by its path. Old paths of moved projects stay valid, since git clients keep them. */
export async function findGitProject(deps: Deps, path: string): Promise<ProjectWithNamespace | undefined> {
  if (!path.includes('/')) return projectOfAlias(deps, path);
  const project = await findProject(deps, path);
  if (project !== undefined) return project;
  const newPath = await findMoved(deps, path, 'project');
  return newPath === undefined ? undefined : findProject(deps, newPath);
}

/** Finds a project by its alias, on plans with project aliases. */
async function projectOfAlias(deps: Deps, name: string): Promise<ProjectWithNamespace | undefined> {
  if (!includesPlan(await effectivePlan(deps), 'premium')) return undefined;
  const alias = await deps.snapshot.get(`project_alias:${name}`, () =>
    deps.db.selectFrom('project_aliases').select('project_id').where('name', '=', name).executeTakeFirst(),
  );
  return alias && findProject(deps, String(alias.project_id));
}

/** Finds a group by its path, old paths included. */
export async function findGitGroup(deps: Deps, path: string): Promise<Namespace | undefined> {
  // A number would be interpreted as an id.
  if (/^\d+$/.test(path)) return undefined;
  const group = await findNamespace(deps, path, 'group');
  if (group !== undefined) return group;
  const newPath = await findMoved(deps, path, 'group');
  return newPath === undefined ? undefined : findNamespace(deps, newPath, 'group');
}
