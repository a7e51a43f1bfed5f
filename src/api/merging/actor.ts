import type { UserCaller } from '../../access/caller.ts';
import { projectPermissions } from '../../access/permissions.ts';
import type { Namespace } from '../../db/tables/namespaces.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import type { Actor } from '../../repositories/protections.ts';

/** Somebody who acts on a project, with what decides about it. */
export interface ProjectActor extends Actor {
  caller: UserCaller;
  project: Project;
  namespace: Namespace;
}

/** The caller as one who acts on another project; undefined when the project is gone. */
export async function actorIn(deps: Deps, caller: UserCaller, projectId: number): Promise<ProjectActor | undefined> {
  const project = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', projectId)
    .where('pending_delete', '=', 0)
    .executeTakeFirst();
  if (project === undefined) return undefined;
  const namespace = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirstOrThrow();
  return { caller, project, namespace, permissions: await projectPermissions(deps, caller, project, namespace) };
}

/** A user in whose name work is done later, with the rights that are left by then; undefined when blocked or gone. */
export async function laterCaller(deps: Deps, userId: number): Promise<UserCaller | undefined> {
  const user = await deps.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  if (user === undefined || user.state !== 'active') return undefined;
  return { user, admin: user.admin === 1, scopes: null, credential: { kind: 'none' }, sudoBy: null };
}
