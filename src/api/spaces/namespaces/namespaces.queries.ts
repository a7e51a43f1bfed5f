import { type SelectQueryBuilder, sql } from 'kysely';
import { groupsOf } from '../../../access/access.membership.ts';
import { effectivePlan } from '../../../access/access.plan.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { notFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Schema } from '../../../db/db.schema.ts';
import { asciiLower, contains } from '../../../db/like.ts';
import type { Namespace as NamespaceRow } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from '../../identity/index.ts';
import { countsOf } from './namespaces.counts.ts';
import type { Namespace } from './namespaces.responses.ts';
import { ADMIN_FIELDS, namespaceBasic, ownerFields } from './namespaces.views.ts';

export interface NamespaceFilters {
  search?: string | undefined;
  owned_only?: boolean | undefined;
  top_level_only?: boolean | undefined;
  full_path_search?: boolean | undefined;
}

/**
 * Query for the personal namespace of the caller and groups with a direct membership; all namespaces for
 * administrators.
 */
export function namespaceQuery(
  deps: Deps,
  caller: UserCaller,
  filters: NamespaceFilters,
): SelectQueryBuilder<Schema, 'namespaces', NamespaceRow> {
  const { search = '', full_path_search: wholePath = false } = filters;
  let query = deps.db.selectFrom('namespaces').selectAll().where('in_deletion', '=', 0).orderBy('id');
  if (filters.top_level_only) query = query.where('parent_id', 'is', null);
  if (search !== '') {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('name'), search), contains(eb.ref(wholePath ? 'full_path' : 'path'), search)]),
    );
  }
  if (caller.admin && !filters.owned_only) return query;
  const day = today(deps.clock);
  return query.where((eb) =>
    eb.or([
      eb('owner_id', '=', caller.user.id),
      eb.and([
        eb('kind', '=', 'group'),
        eb(
          'id',
          'in',
          eb
            .selectFrom('members')
            .select('source_id')
            .where('source_type', '=', 'group')
            .where('user_id', '=', caller.user.id)
            .where('state', '=', 'active')
            .where('access_level', '>=', filters.owned_only ? AccessLevel.owner : AccessLevel.guest)
            .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)])),
        ),
      ]),
    ]),
  );
}

/** Returns a namespace by id or full path: for members, for its user, and for administrators. @throws ApiError 404 */
export async function readableNamespace(deps: Deps, caller: UserCaller, idOrPath: string): Promise<NamespaceRow> {
  const namespace = await findNamespace(deps, idOrPath);
  if (namespace === undefined || (await groupPermissions(deps, caller, namespace)).level === 0) {
    throw notFound('Namespace');
  }
  return namespace;
}

/** Renders namespaces as visible to the caller, with a fixed number of queries. */
export async function presentNamespaces(
  deps: Deps,
  caller: UserCaller,
  namespaces: readonly NamespaceRow[],
): Promise<Namespace[]> {
  const owners = await usersById(deps.db, pluck(namespaces, 'owner_id'));
  const counts = await countsOf(deps.db, await ownedOf(deps, caller, namespaces));
  const plan = await effectivePlan(deps);
  return namespaces.map((namespace) => {
    const count = counts.get(namespace.id);
    return {
      ...namespaceBasic(deps, namespace, owners.get(namespace.owner_id ?? 0)),
      ...(count === undefined ? {} : ownerFields(plan, namespace.kind, count)),
      ...(caller.admin ? ADMIN_FIELDS : {}),
    };
  });
}

/** Returns the namespaces that the caller owns, with one query. */
async function ownedOf(
  deps: Deps,
  { user, admin }: UserCaller,
  namespaces: readonly NamespaceRow[],
): Promise<readonly NamespaceRow[]> {
  if (admin || namespaces.length === 0) return namespaces;
  const rows = await deps.db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', pluck(namespaces, 'id'))
    .where((eb) =>
      eb.or([eb('owner_id', '=', user.id), eb('id', 'in', groupsOf(user.id, AccessLevel.owner, today(deps.clock)))]),
    )
    .execute();
  const owned = new Set(rows.map(({ id }) => id));
  return namespaces.filter(({ id }) => owned.has(id));
}

/** Maximum number of paths tried for a suggestion. */
const MAX_LOOKED_AT = 10_000;

/**
 * Whether a namespace below the parent has the path, and the next free one. A parent hidden from the caller has no
 * paths.
 */
export async function pathInUse(
  deps: Deps,
  caller: UserCaller,
  path: string,
  parentId: number | undefined,
): Promise<{ exists: boolean; suggests: string[] }> {
  if (parentId !== undefined) {
    const parent = await findNamespace(deps, String(parentId), 'group');
    const isVisible = parent !== undefined && (await groupPermissions(deps, caller, parent)).can('read_group');
    if (!isVisible) return { exists: false, suggests: [] };
  }
  const lowerPath = asciiLower(path);
  const query = deps.db
    .selectFrom('namespaces')
    .select('path')
    .where('parent_id', parentId === undefined ? 'is' : '=', parentId ?? null)
    .where(sql<string>`substr(lower(path), 1, ${sql.lit([...lowerPath].length)})`, '=', lowerPath);
  const taken = new Set((await query.limit(MAX_LOOKED_AT).execute()).map((row) => asciiLower(row.path)));
  if (!taken.has(lowerPath)) return { exists: false, suggests: [] };
  let number = 1;
  while (taken.has(`${lowerPath}${number}`)) number += 1;
  return { exists: true, suggests: [`${path}${number}`] };
}
