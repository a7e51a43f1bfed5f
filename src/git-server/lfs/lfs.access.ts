import type { Caller } from '../../access/caller.ts';
import { forbidden, notFound } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { lfsEnabled } from '../../repositories/repository.lfs-locks.ts';
import type { GitOperation } from '../git-authorization.ts';
import { authorizeGit } from '../git-server.access.ts';
import type { ProjectAccess } from '../project-access.ts';

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
  const { inProject } = await authorizeGit(deps, caller, path, wants);
  if (inProject === null || !lfsEnabled(inProject.project)) throw notFound();
  if (wants === 'write') requirePush(inProject);
  return inProject;
}

/** Requires the right to push, for writes of LFS objects. @throws ApiError 403 */
export function requirePush({ permissions, caller, deployKeyId }: ProjectAccess): void {
  if (deployKeyId !== undefined) return;
  const { scopes } = caller;
  if (scopes !== null && !scopes.includes('api') && !scopes.includes('write_repository') && caller.user !== null) {
    throw forbidden('The token lacks the scope write_repository.');
  }
  if (caller.user === null || !permissions.can('push_code')) {
    throw forbidden('You are not allowed to push code to this project.');
  }
}
