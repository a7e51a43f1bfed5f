import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { privateLevel } from '../../../access/access.abilities.ts';
import { fewProjectsOf, isProjectOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { openingPermissions } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Schema } from '../../../db/db.schema.ts';
import { asciiLower, contains, equalsIgnoringCase, startsWith } from '../../../db/like.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectFilters } from './projects.filters.ts';

/** Base of a list; by default all projects that the caller may see. */
export interface ListBase {
  /** Projects directly in these namespaces; with `withShared` also those shared with these groups. */
  namespaceIds?: readonly number[];
  /** Projects in the group of this lineage and its descendants. */
  below?: string;
  /** In addition, projects that are shared with this group. */
  sharedWithGroupId?: number;
  /** Projects in the personal namespace of a user. */
  ownerId?: number;
  starredById?: number;
  /** Projects with contributions of a user since an instant. */
  contributor?: { userId: number; since: string };
  forkedFromId?: number;
  /** Include projects marked for deletion, within a marked group. */
  withMarked?: boolean;
}

type Eb = ExpressionBuilder<Schema, 'projects'>;
type Query = SelectQueryBuilder<Schema, 'projects', Project>;
const MAX_SEARCH_WORDS = 20;

/** Query for the projects that the caller may see. */
export async function projectList(
  deps: Deps,
  caller: Caller,
  filters: ProjectFilters,
  base: ListBase = {},
): Promise<Query> {
  const known = await fewOfCaller(deps, caller, filters);
  let narrowed = filtered(deps, caller, filters, base);
  if (known !== null) narrowed = narrowed.where('projects.id', 'in', known.length === 0 ? [0] : known);
  return ordered(narrowed, filters, caller.admin);
}

/** Maximum number of projects listed by id in a query. */
const FEW_PROJECTS = 100;

/** Returns the projects that a membership filter leaves, if they are few, so that no index has to be walked. */
function fewOfCaller(deps: Deps, { user }: Caller, filters: ProjectFilters): Promise<number[] | null> | null {
  const { owned, membership, min_access_level = 0 } = filters;
  if (user === null || !(owned || membership || min_access_level > 0)) return null;
  const level = Math.max(owned ? AccessLevel.owner : AccessLevel.guest, min_access_level);
  const day = today(deps.clock);
  return deps.snapshot.get(`few:${user.id}:${level}:${day}`, () =>
    fewProjectsOf(deps.db, user.id, level, day, FEW_PROJECTS),
  );
}

function filtered(deps: Deps, caller: Caller, filters: ProjectFilters, base: ListBase): Query {
  const day = today(deps.clock);
  return deps.db
    .selectFrom('projects')
    .selectAll('projects')
    .where('projects.pending_delete', '=', 0)
    .where((eb) => eb.and(visible(eb, caller, day)))
    .where((eb) => eb.and(within(eb, base)))
    .where((eb) => eb.and(ofCaller(eb, caller, filters, day)))
    .where((eb) => eb.and(byColumns(eb, filters, base)))
    .where((eb) => eb.and(byFeatures(eb, caller, filters, day)))
    .where((eb) => eb.and(byTexts(eb, filters)))
    .where((eb) => eb.and(byAdministration(eb, caller, filters)));
}

/**
 * Most projects of a list are visible, so walking an index in the requested order soon fills a page. An expression
 * instead of the bare column keeps SQLite from collecting and sorting all projects by visibility first.
 */
const openness = sql<string>`(projects.visibility || '')`;

function visible(eb: Eb, caller: Caller, day: string): Expression<SqlBool>[] {
  const { user } = caller;
  if (caller.admin || user?.auditor === 1) return [];
  if (user === null) return [eb(openness, '=', 'public')];
  const open = user.external === 1 ? ['public'] : ['public', 'internal'];
  return [eb.or([eb(openness, 'in', open), isProjectOf(user.id, AccessLevel.guest, day)])];
}

function within(eb: Eb, base: ListBase): Expression<SqlBool>[] {
  const places: Expression<SqlBool>[] = [];
  if (base.namespaceIds !== undefined) places.push(eb('projects.namespace_id', 'in', base.namespaceIds));
  if (base.below !== undefined) {
    const { below } = base;
    const groups = eb
      .selectFrom('namespaces')
      .select('namespaces.id')
      .where((inner) => startsWith(inner, inner.ref('namespaces.lineage'), below));
    places.push(eb('projects.namespace_id', 'in', groups));
  }
  if (base.sharedWithGroupId !== undefined) {
    const shared = eb
      .selectFrom('group_links')
      .select('group_links.source_id')
      .where('group_links.source_type', '=', 'project')
      .where('group_links.group_id', '=', base.sharedWithGroupId);
    places.push(eb('projects.id', 'in', shared));
  }
  if (base.ownerId !== undefined) {
    const own = eb.selectFrom('namespaces').select('namespaces.id').where('namespaces.owner_id', '=', base.ownerId);
    places.push(eb('projects.namespace_id', 'in', own));
  }
  const conditions = places.length === 0 ? [] : [eb.or(places)];
  if (base.starredById !== undefined) conditions.push(starredBy(eb, base.starredById));
  if (base.forkedFromId !== undefined) conditions.push(eb('projects.forked_from_id', '=', base.forkedFromId));
  if (base.contributor !== undefined) {
    const events = eb
      .selectFrom('events')
      .select('events.project_id')
      .where('events.author_id', '=', base.contributor.userId)
      .where('events.created_at', '>', base.contributor.since);
    conditions.push(eb('projects.id', 'in', events));
  }
  return conditions;
}

const starredBy = (eb: Eb, userId: number) =>
  eb(
    'projects.id',
    'in',
    eb.selectFrom('project_stars').select('project_stars.project_id').where('project_stars.user_id', '=', userId),
  );

/** Filters by the relation of the caller to a project; nothing matches for anonymous callers. */
function ofCaller(eb: Eb, { user }: Caller, filters: ProjectFilters, day: string): Expression<SqlBool>[] {
  const { owned, starred, membership, min_access_level: level } = filters;
  if (user === null) return owned || starred || membership || level !== undefined ? [sql<SqlBool>`1 = 0`] : [];
  return [
    ...(owned ? [isProjectOf(user.id, AccessLevel.owner, day)] : []),
    ...(membership ? [isProjectOf(user.id, AccessLevel.guest, day)] : []),
    ...(level === undefined ? [] : [isProjectOf(user.id, level, day)]),
    ...(starred ? [starredBy(eb, user.id)] : []),
  ];
}

function byColumns(eb: Eb, filters: ProjectFilters, { withMarked }: ListBase): Expression<SqlBool>[] {
  const list: Expression<SqlBool>[] = [];
  const { active, marked_for_deletion_on: markedOn } = filters;
  if (active === false) list.push(eb.or([eb('projects.archived', '=', 1), eb('projects.in_deletion', '=', 1)]));
  if (active) list.push(eb('projects.archived', '=', 0));
  if (markedOn !== undefined) list.push(eb('projects.marked_for_deletion_on', '=', markedOn));
  const isRequested = active === false || markedOn !== undefined || filters.include_pending_delete === true;
  if (active || (!isRequested && !withMarked)) list.push(eb('projects.in_deletion', '=', 0));
  if (filters.archived !== undefined) list.push(eb('projects.archived', '=', filters.archived ? 1 : 0));
  if (filters.visibility !== undefined) list.push(eb('projects.visibility', '=', filters.visibility));
  if (filters.imported) list.push(eb('projects.import_url', 'is not', null));
  if (filters.id_after !== undefined) list.push(eb('projects.id', '>', filters.id_after));
  if (filters.id_before !== undefined) list.push(eb('projects.id', '<', filters.id_before));
  const { last_activity_after, last_activity_before, updated_after, updated_before } = filters;
  if (last_activity_after !== undefined) list.push(eb('projects.last_activity_at', '>', last_activity_after));
  if (last_activity_before !== undefined) list.push(eb('projects.last_activity_at', '<', last_activity_before));
  if (updated_after !== undefined) list.push(eb('projects.updated_at', '>', updated_after));
  if (updated_before !== undefined) list.push(eb('projects.updated_at', '<', updated_before));
  // Failed checksums are not recorded.
  const never = [filters.wiki_checksum_failed, filters.repository_checksum_failed];
  if (never.some(Boolean)) list.push(sql<SqlBool>`1 = 0`);
  return list;
}

function byFeatures(eb: Eb, caller: Caller, filters: ProjectFilters, day: string): Expression<SqlBool>[] {
  const open = (feature: 'issues' | 'merge_requests') => {
    const column = `projects.${feature}_access_level` as const;
    if (caller.admin) return eb(column, '!=', 'disabled');
    if (caller.user === null) return eb(column, 'in', ['enabled', 'public']);
    const member = isProjectOf(
      caller.user.id,
      { level: privateLevel(feature), permissions: openingPermissions(feature) },
      day,
    );
    return eb.or([eb(column, 'in', ['enabled', 'public']), eb.and([eb(column, '=', 'private'), member])]);
  };
  return [
    ...(filters.with_issues_enabled ? [open('issues')] : []),
    ...(filters.with_merge_requests_enabled ? [open('merge_requests')] : []),
  ];
}

function byTexts(eb: Eb, filters: ProjectFilters): Expression<SqlBool>[] {
  const words = (filters.search ?? '').split(/\s+/).filter(Boolean).slice(0, MAX_SEARCH_WORDS);
  const columns = [eb.ref('projects.name'), eb.ref('projects.path'), eb.ref('projects.description')];
  if (filters.search_namespaces) columns.push(eb.ref('projects.full_path'));
  const list: Expression<SqlBool>[] = words.map((word) => eb.or(columns.map((column) => contains(column, word))));
  if (filters.with_programming_language !== undefined) {
    const language = filters.with_programming_language;
    const speaking = eb
      .selectFrom('project_languages')
      .select('project_languages.project_id')
      .where((inner) => equalsIgnoringCase(inner.ref('project_languages.name'), language));
    list.push(eb('projects.id', 'in', speaking));
  }
  for (const topic of filters.topic ?? []) {
    const about = eb
      .selectFrom('project_topics')
      .innerJoin('topics', 'topics.id', 'project_topics.topic_id')
      .select('project_topics.project_id')
      .where((inner) => equalsIgnoringCase(inner.ref('topics.name'), topic));
    list.push(eb('projects.id', 'in', about));
  }
  if (filters.topic_id !== undefined) {
    const about = eb
      .selectFrom('project_topics')
      .select('project_topics.project_id')
      .where('project_topics.topic_id', '=', filters.topic_id);
    list.push(eb('projects.id', 'in', about));
  }
  return list;
}

/** Filters for administrators only; ignored for others, as on the platform. */
function byAdministration(eb: Eb, caller: Caller, filters: ProjectFilters): Expression<SqlBool>[] {
  if (!caller.admin) return [];
  const list: Expression<SqlBool>[] = [];
  const { repository_storage, custom_attributes = {} } = filters;
  if (repository_storage !== undefined) list.push(eb('projects.repository_storage', '=', repository_storage));
  for (const [key, value] of Object.entries(custom_attributes)) {
    const having = eb
      .selectFrom('custom_attributes')
      .select('custom_attributes.source_id')
      .where('custom_attributes.source_type', '=', 'project')
      .where('custom_attributes.key', '=', key)
      .where('custom_attributes.value', '=', value);
    list.push(eb('projects.id', 'in', having));
  }
  return list;
}

const ONLY_FOR_ADMINISTRATORS: readonly string[] = ['repository_size', 'storage_size'];

function ordered(query: Query, filters: ProjectFilters, admin: boolean): Query {
  const { order_by: orderBy = 'created_at', sort = 'desc', search = '' } = filters;
  const order_by = ONLY_FOR_ADMINISTRATORS.includes(orderBy) && !admin ? 'created_at' : orderBy;
  if (order_by === 'id') return query.orderBy('projects.id', sort);
  if (order_by === 'similarity') {
    const text = asciiLower(search.trim());
    if (text === '') return query.orderBy('projects.created_at', sort).orderBy('projects.id', sort);
    return query.orderBy((eb) => similarity(eb, text), sort).orderBy('projects.id', sort);
  }
  return query.orderBy(`projects.${order_by}`, sort).orderBy('projects.id', sort);
}

/** Rank of a project in a search: equal path, equal name, prefix of either, any other match. */
function similarity(eb: Eb, text: string): Expression<number> {
  const [path, name] = [sql`lower(${eb.ref('projects.path')})`, sql`lower(${eb.ref('projects.name')})`];
  const begins = (column: Expression<unknown>) => sql<SqlBool>`substr(${column}, 1, ${[...text].length}) = ${text}`;
  return sql<number>`case when ${path} = ${text} then 4 when ${name} = ${text} then 3
    when ${begins(path)} then 2 when ${begins(name)} then 1 else 0 end`;
}
