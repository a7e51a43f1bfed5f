import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Static } from 'typebox';
import { groupsOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { type GroupCondition, memberGroups, visibleGroups } from '../../../access/visible-groups.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Schema } from '../../../db/db.schema.ts';
import { asciiLower, contains, startsWith } from '../../../db/like.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ListInput } from './groups.inputs.ts';

export type GroupFilters = Partial<Static<typeof ListInput>>;
type GroupQuery = SelectQueryBuilder<Schema, 'namespaces', Namespace>;

/** Base of a list of groups: all, those below a group, or those that match a condition. */
export type GroupBase =
  | { of: 'all' }
  | { of: 'children' | 'descendants'; group: Namespace }
  | { of: 'chosen'; where: GroupCondition };

/** Query for a list of groups with filters and order, limited to groups that the caller may see. */
export async function groupQuery(
  deps: Deps,
  caller: Caller,
  filters: GroupFilters,
  base: GroupBase = { of: 'all' },
): Promise<GroupQuery> {
  const scope = await standingCondition(deps, caller, filters, base);
  const query = deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('kind', '=', 'group')
    .where((eb) => eb.and([scope(eb), placeCondition(eb, filters, base), ...attributeConditions(eb, filters, base)]))
    .where((eb) => eb.and(caller.admin ? adminConditions(deps, eb, filters) : []));
  return ordered(query, filters);
}

/** Condition for the filters by the caller's own access. */
async function standingCondition(
  deps: Deps,
  caller: Caller,
  filters: GroupFilters,
  base: GroupBase,
): Promise<GroupCondition> {
  const { user } = caller;
  const { owned, min_access_level: level } = filters;
  const day = today(deps.clock);
  if (user === null && (owned || level !== undefined)) return (eb) => eb.lit(false);
  if (user !== null && owned) return ownedBy(user.id, day);
  if (user !== null && level !== undefined) return (eb) => eb('id', 'in', groupsOf(user.id, level, day));
  const all = filters.all_available ?? (caller.admin || user === null || base.of === 'chosen');
  return all || user === null ? visibleGroups(deps, caller) : memberGroups(deps, user.id);
}

const ownedBy =
  (userId: number, day: string): GroupCondition =>
  (eb) =>
    eb(
      'id',
      'in',
      eb
        .selectFrom('members')
        .select('source_id')
        .where('source_type', '=', 'group')
        .where('user_id', '=', userId)
        .where('access_level', '=', AccessLevel.owner)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)])),
    );

function placeCondition(
  eb: ExpressionBuilder<Schema, 'namespaces'>,
  filters: GroupFilters,
  base: GroupBase,
): Expression<SqlBool> {
  const top = filters.top_level_only ? eb('parent_id', 'is', null) : eb.lit(true);
  switch (base.of) {
    case 'all':
      return top;
    case 'children':
      return eb('parent_id', '=', base.group.id);
    case 'descendants':
      return eb.and([startsWith(eb, eb.ref('lineage'), base.group.lineage), eb('id', '!=', base.group.id)]);
    case 'chosen':
      return eb.and([top, base.where(eb)]);
  }
}

function attributeConditions(
  eb: ExpressionBuilder<Schema, 'namespaces'>,
  filters: GroupFilters,
  base: GroupBase,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const { skip_groups: skipped = [], visibility, search = '', archived, active } = filters;
  if (skipped.length > 0) conditions.push(eb('id', 'not in', skipped));
  if (visibility !== undefined) conditions.push(eb('visibility', '=', visibility));
  if (search !== '') {
    conditions.push(eb.or([contains(eb.ref('name'), search), contains(eb.ref('full_path'), search)]));
  }
  if (archived !== undefined) conditions.push(eb('archived', '=', archived ? 1 : 0));
  if (filters.marked_for_deletion_on !== undefined) {
    conditions.push(eb('marked_for_deletion_on', '=', filters.marked_for_deletion_on));
  }
  if (active !== undefined) {
    const isActive = eb.and([eb('archived', '=', 0), eb('in_deletion', '=', 0)]);
    conditions.push(active ? isActive : eb.not(isActive));
  }
  // Groups marked for deletion are listed on request, and within a marked group.
  const inside = (base.of === 'children' || base.of === 'descendants') && base.group.in_deletion === 1;
  if (active === undefined && filters.marked_for_deletion_on === undefined && !inside) {
    conditions.push(eb('in_deletion', '=', 0));
  }
  return conditions;
}

function adminConditions(
  deps: Deps,
  eb: ExpressionBuilder<Schema, 'namespaces'>,
  filters: GroupFilters,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const storage = filters.repository_storage;
  if (storage !== undefined) {
    const wiki = eb.selectFrom('wikis').select('wikis.id').whereRef('wikis.namespace_id', '=', 'namespaces.id');
    const there = eb.exists(wiki.where('wikis.repository_storage', '=', storage));
    // Groups without a wiki show the first storage.
    conditions.push(storage === deps.storages.list[0]!.name ? eb.or([there, eb.not(eb.exists(wiki))]) : there);
  }
  for (const [key, value] of Object.entries(filters.custom_attributes ?? {})) {
    conditions.push(
      eb.exists(
        eb
          .selectFrom('custom_attributes as c')
          .select('c.key')
          .whereRef('c.source_id', '=', 'namespaces.id')
          .where('c.source_type', '=', 'group')
          .where('c.key', '=', key)
          .where('c.value', '=', value),
      ),
    );
  }
  return conditions;
}

function ordered(query: GroupQuery, filters: GroupFilters): GroupQuery {
  const { order_by: by = 'name', sort = 'asc', search = '' } = filters;
  if (by === 'id') return query.orderBy('id', sort);
  if (by === 'similarity' && search !== '') {
    return query
      .orderBy(similarity(search), sort === 'asc' ? 'desc' : 'asc')
      .orderBy('name')
      .orderBy('id');
  }
  return query.orderBy(by === 'path' ? 'path' : 'name', sort).orderBy('id', sort);
}

/** Rank of name or path in a search: 3 equal, 2 prefix, 1 substring, 0 only in the full path. */
function similarity(search: string): Expression<number> {
  const text = asciiLower(search);
  const rank = (column: string) => sql<number>`
    case when lower(${sql.ref(column)}) = ${text} then 3
      when substr(lower(${sql.ref(column)}), 1, ${sql.lit([...text].length)}) = ${text} then 2
      when ${contains(sql.ref(column), search)} then 1 else 0 end`;
  return sql<number>`case when ${rank('name')} > ${rank('path')} then ${rank('name')} else ${rank('path')} end`;
}
