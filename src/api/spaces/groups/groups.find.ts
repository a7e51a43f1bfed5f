import type { UserCaller } from '../../../access/caller.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';

/** Returns a group if the caller may see it. @throws ApiError 404 */
export async function visibleGroup(deps: Deps, caller: UserCaller, id: number | string): Promise<Namespace> {
  const group = await findNamespace(deps, String(id), 'group');
  if (group === undefined || !(await groupPermissions(deps, caller, group)).can('read_group')) throw notFound('Group');
  return group;
}
