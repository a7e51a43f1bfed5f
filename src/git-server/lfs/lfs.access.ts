import type { Caller } from '../../access/caller.ts';
import { forbidden, notFound } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { lfsEnabled } from '../../repositories/repository.lfs-locks.ts';
import { authorizeGit, type GitOperation, type ProjectAccess } from '../git-server.access.ts';

/**
 * Authorizes access to the LFS objects of a project. Snippets and projects with LFS disabled have none.
 * @param path of the repository, without `.git`
 * @throws ApiError 401 if an anonymous caller has to authenticate, 403, 404
 */
export async function authorizeLfs(
  deps: Deps,
  caller: Caller,
  path: string,
  wants: GitOperation,
): Promise<ProjectAccess> {
  const access = await authorizeGit(deps, caller, path, wants);
  if (access.kind !== 'project' || !lfsEnabled(access.project)) throw notFound();
  if (wants === 'write') requirePush(access);
  return access;
}

/** Requires the right to push, for writes of LFS objects. @throws ApiError 403 */
export function requirePush({ permissions, caller, deployKey }: ProjectAccess): void {
  if (deployKey?.pushes === true) return;
  const { scopes } = caller;
  if (scopes !== null && !scopes.includes('api') && !scopes.includes('write_repository') && caller.user !== null) {
    throw forbidden('The token lacks the scope write_repository.');
  }
  if (caller.user === null || !permissions.can('push_code')) {
    throw forbidden('You are not allowed to push code to this project.');
  }
}
