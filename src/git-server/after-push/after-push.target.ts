import type { UserCaller } from '../../access/caller.ts';
import { findProject, type ProjectWithNamespace } from '../../access/lookup.ts';
import { projectPermissions } from '../../access/permissions.ts';
import type { UserScope } from '../../api/planning/index.ts';
import { settingsOf } from '../../api/spaces/index.ts';
import type { Deps } from '../../deps.ts';
import type { ProjectAccess } from '../project-access.ts';

export type TargetScope = UserScope;
type Pusher = ProjectAccess & { caller: UserCaller };

async function scopeOf(
  deps: Deps,
  caller: UserCaller,
  { project, namespace }: ProjectWithNamespace,
): Promise<TargetScope> {
  return { project, namespace, caller, permissions: await projectPermissions(deps, caller, project, namespace) };
}

const rootOf = ({ id, fork_root_id }: { id: number; fork_root_id: number | null }): number => fork_root_id ?? id;

/**
 * Finds the target project of merge requests: the named project, else the fork's source, else the project itself.
 * @param named full path or id of a project
 * @returns the pusher's rights in the target, or the reason for a refusal
 */
export async function findTarget(
  deps: Deps,
  { caller, project }: Pusher,
  named: string | undefined,
): Promise<TargetScope | string> {
  const own = await findProject(deps, String(project.id));
  if (own === undefined) return 'The project no longer exists';
  if (named === undefined) return (await upstream(deps, caller, own)) ?? (await scopeOf(deps, caller, own));
  const target = await findProject(deps, named);
  const scope = target === undefined ? undefined : await scopeOf(deps, caller, target);
  if (scope === undefined || !scope.permissions.can('read_project')) return `Target project ${named} does not exist`;
  if (rootOf(scope.project) !== rootOf(project)) {
    return `Projects ${project.full_path} and ${scope.project.full_path} are not in the same network`;
  }
  return scope;
}

async function upstream(
  deps: Deps,
  caller: UserCaller,
  { project }: ProjectWithNamespace,
): Promise<TargetScope | undefined> {
  if (project.forked_from_id === null || settingsOf(project).mr_default_target_self) return undefined;
  const source = await findProject(deps, String(project.forked_from_id));
  const scope = source === undefined ? undefined : await scopeOf(deps, caller, source);
  return scope?.permissions.can('read_merge_request') ? scope : undefined;
}
