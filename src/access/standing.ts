import type { Namespace } from '../db/tables/namespaces.ts';
import type { Project } from '../db/tables/projects.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './caller.ts';
import { type ProjectPermissions, projectPermissions } from './permissions.ts';

/** Somebody in a project, with what he may do there. */
export interface Standing<C extends Caller = Caller> {
  caller: C;
  project: Project;
  namespace: Namespace;
  permissions: ProjectPermissions;
}

/** Where the caller stands in a project by its id, read anew; undefined when the project is gone. */
export async function standingIn<C extends Caller>(
  deps: Deps,
  caller: C,
  projectId: number,
): Promise<Standing<C> | undefined> {
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
    .executeTakeFirst();
  if (namespace === undefined) return undefined;
  return { caller, project, namespace, permissions: await projectPermissions(deps, caller, project, namespace) };
}
