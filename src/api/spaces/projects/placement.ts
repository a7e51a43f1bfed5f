import { type Caller, isTokenBot } from '../../../access/caller.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { mayCreateTopLevelSpaces } from '../../../access/may-create-spaces.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { revalidateCaller } from '../../../access/revalidate.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { forbidden, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { type GroupSettings, groupSettings } from '../groups/groups.settings.ts';

/** Minimum level for creating projects in a group, by `project_creation_level`. */
const CREATION_LEVELS: Record<GroupSettings['project_creation_level'], number> = {
  noone: Number.POSITIVE_INFINITY,
  administrator: AccessLevel.admin,
  owner: AccessLevel.owner,
  maintainer: AccessLevel.maintainer,
  developer: AccessLevel.developer,
};

/** Whether the caller may create projects in the namespace. */
export async function mayCreateProjects(deps: Deps, caller: Caller, namespace: Namespace): Promise<boolean> {
  if (namespace.kind === 'user') {
    const { user } = caller;
    if (caller.admin) return true;
    return (
      user !== null && namespace.owner_id === user.id && !isTokenBot(user) && mayCreateTopLevelSpaces(deps, user.id)
    );
  }
  const permissions = await groupPermissions(deps, caller, namespace);
  const { project_creation_level } = groupSettings(namespace);
  return permissions.can('create_projects') && permissions.level >= CREATION_LEVELS[project_creation_level];
}

/** Checks the right again within the transaction that puts a project into the namespace. @throws ApiError 401, 403 */
export async function requirePlacement(deps: Deps, db: Db, caller: Caller, namespaceId: number): Promise<void> {
  const inside = transactionDeps(deps, db);
  const now = await revalidateCaller(inside, caller);
  const namespace = await db.selectFrom('namespaces').selectAll().where('id', '=', namespaceId).executeTakeFirst();
  if (namespace === undefined || !(await mayCreateProjects(inside, now, namespace))) throw forbidden();
}

/**
 * Returns a namespace in which the caller may create projects, by id or full path.
 * @param what what the 404 names
 * @throws ApiError 404 for a hidden namespace, 403 without the right
 */
export async function findPlacement(
  deps: Deps,
  caller: Caller,
  idOrPath: string,
  what = 'Namespace',
): Promise<Namespace> {
  const namespace = await findNamespace(deps, idOrPath);
  if (namespace === undefined) throw notFound(what);
  if (await mayCreateProjects(deps, caller, namespace)) return namespace;
  const isVisible = namespace.kind === 'group' && (await groupPermissions(deps, caller, namespace)).can('read_group');
  throw isVisible ? forbidden() : notFound(what);
}

/** Returns the personal namespace of a user. @throws ApiError 403 for bots, 404 for users without one */
export async function personalNamespace(deps: Deps, user: Pick<User, 'id' | 'kind' | 'admin'>): Promise<Namespace> {
  if (isTokenBot(user)) throw forbidden('You cannot create projects in your personal namespace.');
  if (user.admin === 0 && !(await mayCreateTopLevelSpaces(deps, user.id))) throw forbidden();
  return deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('owner_id', '=', user.id)
    .where('kind', '=', 'user')
    .executeTakeFirstOrThrow(() => notFound('Namespace'));
}
