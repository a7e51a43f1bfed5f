import { callerNow } from '../access/caller-now.ts';
import { type Standing, standingIn } from '../access/standing.ts';
import { notFound } from '../core/errors.ts';
import type { Project } from '../db/tables/projects.ts';
import type { Deps } from '../deps.ts';
import { collaborationBranches } from './collaboration.ts';
import type { Actor } from './protections.ts';

/**
 * The actor with the rights that they have now, for what is done after a wait: members may have been removed, levels
 * lowered, tokens revoked, projects closed or archived.
 * @param row the project's, where it was just read
 * @throws ApiError 401 and 403 for who may not sign in any more, 404 when the project is gone or hidden
 */
export async function actorNow<A extends Actor>(
  deps: Deps,
  actor: A,
  projectId: number,
  row: Project | null = null,
): Promise<A & Standing> {
  const caller = await callerNow(deps, actor.caller);
  const standing = await standingIn(deps, caller, projectId, row);
  if (standing === undefined || !standing.permissions.can('read_project')) throw notFound('Project');
  const { collaborates: _, ...rest } = actor;
  const pushes = standing.permissions.can('push_code');
  return {
    ...rest,
    ...standing,
    ...(pushes ? {} : { collaborates: await collaborationBranches(deps, standing) }),
  } as A & Standing;
}
