import { type CallerInProject, callerInProject } from '../access/caller-in-project.ts';
import { revalidateCaller } from '../access/revalidate.ts';
import { notFound } from '../core/core.errors.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { collaborationBranches } from './collaboration.ts';
import type { Actor } from './repository.protections.ts';

/**
 * Returns the actor with their current rights, for work after a wait: memberships, levels and tokens may have been
 * revoked, projects closed or archived.
 * @param row of the project, if it was just read
 * @throws ApiError 401 and 403 if the user may no longer sign in, 404 if the project is deleted or hidden
 */
export async function revalidateActor<A extends Actor>(
  deps: Deps,
  actor: A,
  projectId: number,
  row: Project | null = null,
): Promise<A & CallerInProject> {
  const caller = await revalidateCaller(deps, actor.caller);
  const scope = await callerInProject(deps, caller, projectId, row);
  if (scope === undefined || !scope.permissions.can('read_project')) throw notFound('Project');
  const { collaborates: _, ...rest } = actor;
  const pushes = scope.permissions.can('push_code');
  return {
    ...rest,
    ...scope,
    ...(pushes ? {} : { collaborates: await collaborationBranches(deps, scope) }),
  } as A & CallerInProject;
}
