import type { Caller } from '../access/caller.ts';
import { deployKeyUse, NO_KEY_PUSH } from '../access/key-caller.ts';
import type { ProjectWithNamespace } from '../access/lookup.ts';
import { isDescendantOf, projectPermissions } from '../access/permissions.ts';
import { refused } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { collaborationBranches } from '../repositories/collaboration.ts';
import type { Actor } from '../repositories/repository.protections.ts';
import { requireProtocolInGroup } from './allowed-protocols.ts';
import { checkScopes, type GitOperation, isAnonymous, notVisible } from './git-authorization.ts';

/** The rights of an authorized caller in the project of a repository. */
export interface ProjectAccess extends Actor {
  readonly project: Project;
  readonly namespace: Namespace;
  /** Path in the request, if the project has a different path now. */
  readonly oldPath?: string | undefined;
}

/**
 * Authorizes a caller for the repository of a project.
 * @param oldPath in the request, if the project has a different path now
 * @throws ApiError 401, 403, 404 as in `authorizeGit`
 */
export async function authorizeProject(
  deps: Deps,
  caller: Caller,
  { project, namespace }: ProjectWithNamespace,
  wants: GitOperation,
  oldPath?: string,
): Promise<ProjectAccess> {
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!isDescendantOf(caller, namespace.lineage)) throw notVisible(caller, 'project');
  if (!permissions.can('read_code')) {
    const known = !isAnonymous(caller) && permissions.can('read_project');
    throw known
      ? refused('You are not allowed to download code from this project.', 403)
      : notVisible(caller, 'project');
  }
  await requireProtocolInGroup(deps, caller, namespace, permissions.level);
  checkScopes(caller, wants);
  const key = caller.credential.kind === 'deploy_key' ? caller.credential.key.id : null;
  const keyPushes = key !== null && (await deployKeyUse(deps, key, project.id))?.pushes === true;
  const access = { caller, project, namespace, permissions, oldPath, ...(keyPushes ? { deployKeyId: key } : {}) };
  if (wants === 'read') return access;
  refuseJobs(caller, project);
  if (project.archived === 1) throw refused("You can't push code to an archived project.", 403);
  if (project.in_deletion === 1) throw refused("You can't push code to a project that is marked for deletion.", 403);
  if (key !== null && !keyPushes) throw refused(NO_KEY_PUSH, 403);
  if (keyPushes || permissions.can('push_code')) return access;
  const collaborates = await collaborationBranches(deps, { caller, project, namespace, permissions });
  if (collaborates.size === 0) throw refused('You are not allowed to push code to this project.', 403);
  return { ...access, collaborates };
}

/** Jobs may push only to their own project, and only if it allows that. @throws ApiError 403 */
function refuseJobs({ credential }: Caller, { id, settings }: Project): void {
  if (credential.kind !== 'job_token') return;
  const jobSettings = parseJson<{ ci_push_repository_for_job_token_allowed?: boolean }>(settings);
  if (credential.projectId === id && jobSettings.ci_push_repository_for_job_token_allowed === true) return;
  throw refused('You are not allowed to push code to this project with a job token.', 403);
}
