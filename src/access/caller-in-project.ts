import { forbidden, notFound } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import type { GroupAbility, ProjectAbility } from './access.abilities.ts';
import type { Caller } from './caller.ts';
import { namespaceOfId, projectOfId } from './find-by-id.ts';
import { type GroupPermissions, groupPermissions, type ProjectPermissions, projectPermissions } from './permissions.ts';
import { revalidateCaller } from './revalidate.ts';
import { transactionDeps } from './transaction-deps.ts';

/** A caller in a project, with their permissions there. */
export interface CallerInProject<C extends Caller = Caller> {
  caller: C;
  project: Project;
  namespace: Namespace;
  permissions: ProjectPermissions;
}

/**
 * Reads the standing of the caller in a project by its id; undefined if the project no longer exists.
 * @param row the project's row, if it was just read
 */
export async function callerInProject<C extends Caller>(
  deps: Deps,
  caller: C,
  projectId: number,
  row: Project | null = null,
): Promise<CallerInProject<C> | undefined> {
  const project = row ?? (await projectOfId(deps.db, { id: projectId }))[0];
  if (project === undefined) return undefined;
  const [namespace] = await namespaceOfId(deps.db, { id: project.namespace_id });
  if (namespace === undefined) return undefined;
  return { caller, project, namespace, permissions: await projectPermissions(deps, caller, project, namespace) };
}

/**
 * Checks an ability again within the transaction that acts on it, because the caller may have lost it since the request
 * was authorized.
 * @param db the transaction's handle
 * @returns the caller's current standing
 * @throws ApiError 401, 403, 404
 */
export async function revalidateProjectAbility<C extends Caller>(
  deps: Deps,
  db: Db,
  caller: C,
  projectId: number,
  ability: ProjectAbility,
): Promise<CallerInProject<C>> {
  const inside = transactionDeps(deps, db);
  const scope = await callerInProject(inside, await revalidateCaller(inside, caller), projectId);
  if (scope === undefined || !scope.permissions.can('read_project')) throw notFound('Project');
  if (!scope.permissions.can(ability)) throw forbidden();
  return scope;
}

/**
 * Checks a group ability again within the transaction that acts on it.
 * @returns the caller's current level in the group
 * @throws ApiError 401, 403, 404
 */
export async function revalidateGroupAbility<C extends Caller>(
  deps: Deps,
  db: Db,
  caller: C,
  groupId: number,
  ability: GroupAbility,
): Promise<{ caller: C; permissions: GroupPermissions }> {
  const inside = transactionDeps(deps, db);
  const now = await revalidateCaller(inside, caller);
  const [group] = await namespaceOfId(db, { id: groupId });
  const permissions = group && (await groupPermissions(inside, now, group));
  if (permissions === undefined || !permissions.can('read_group')) throw notFound('Group');
  if (!permissions.can(ability)) throw forbidden();
  return { caller: now, permissions };
}
