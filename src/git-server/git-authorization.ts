import { effectivePlan, holds } from '../access/access.plan.ts';
import type { Caller } from '../access/caller.ts';
import { type FoundProject, findMoved, findNamespace, findProject } from '../access/lookup.ts';
import { refused, unauthorized } from '../core/core.errors.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Deps } from '../deps.ts';
import type { Holder } from '../repositories/holder.ts';

/** Somebody who was let to a repository. */
export interface AuthorizedGitAccess {
  caller: Caller;
  /** Whose repository it is. */
  holder: Holder;
  /** Whether it is filled or moved. Who asks to push is told at once; a push that has begun is refused as a whole. */
  readOnly: boolean;
}

export type GitOperation = 'read' | 'write';

/** Scopes that do for reading and for writing a repository. */
const READ_SCOPES = ['api', 'read_api', 'read_repository', 'write_repository'];
export const WRITE_SCOPES: readonly string[] = ['api', 'write_repository'];

export const isStranger = ({ credential }: Caller): boolean => credential.kind === 'none';

/** What the caller may not see: anonymous callers are asked who they are, for others it is not there. */
export const hidden = (caller: Caller, what: 'project' | 'snippet' | 'wiki') =>
  isStranger(caller)
    ? unauthorized()
    : refused(`The ${what} you were looking for could not be found or you don't have permission to view it.`, 404);

/** @throws ApiError 401 for an anonymous caller who wants to write, 403 for a token without the scope */
export function checkScopes(caller: Caller, wants: GitOperation): void {
  if (isStranger(caller)) {
    if (wants === 'write') throw unauthorized();
    return;
  }
  const enough = wants === 'read' ? READ_SCOPES : WRITE_SCOPES;
  if (caller.scopes === null || caller.scopes.some((scope) => enough.includes(scope))) return;
  throw refused(`The token lacks the scope ${wants === 'read' ? 'read_repository' : 'write_repository'}.`, 403);
}

/** Git clients keep old addresses for years: a project that moved is served from its old path too. */
export async function findGitProject(deps: Deps, path: string): Promise<FoundProject | undefined> {
  if (!path.includes('/')) return projectOfAlias(deps, path);
  const found = await findProject(deps, path);
  if (found !== undefined) return found;
  const newPath = await findMoved(deps, path, 'project');
  return newPath === undefined ? undefined : findProject(deps, newPath);
}

/** An administrator may have given a project a short name, on plans that have them. */
async function projectOfAlias(deps: Deps, name: string): Promise<FoundProject | undefined> {
  if (!holds(await effectivePlan(deps), 'premium')) return undefined;
  const alias = await deps.snapshot.get(`project_alias:${name}`, () =>
    deps.db.selectFrom('project_aliases').select('project_id').where('name', '=', name).executeTakeFirst(),
  );
  return alias && findProject(deps, String(alias.project_id));
}

/** The same for a group. */
export async function findGitGroup(deps: Deps, path: string): Promise<Namespace | undefined> {
  // A number would be taken for an id.
  if (/^\d+$/.test(path)) return undefined;
  const found = await findNamespace(deps, path, 'group');
  if (found !== undefined) return found;
  const newPath = await findMoved(deps, path, 'group');
  return newPath === undefined ? undefined : findNamespace(deps, newPath, 'group');
}
