import { sql } from 'kysely';
import { groupsOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { namespacesOfIds, projectsOfIds } from '../../../access/find-by-id.ts';
import { type ProjectPermissions, projectPermissionsAt } from '../../../access/permissions.ts';
import { type ProjectAccessLevels, projectAccessLevels } from '../../../access/project-levels.ts';
import { atLevel } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../db/prepared.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from '../../identity/index.ts';
import { fullNames } from '../groups/groups.views.ts';

export interface SharedGroup {
  group_id: number;
  group_name: string;
  group_full_path: string;
  group_access_level: number;
  expires_at: string | null;
}

/** Data for the JSON of a project in addition to its row. */
export interface ProjectView {
  project: Project;
  namespace: Namespace;
  /** Full name of the namespace. */
  namespaceFullName: string;
  owner: User | null;
  topics: string[];
  forksCount: number;
  /** As visible to the caller: guests do not count confidential ones. */
  openIssuesCount: number;
  /** Source of the fork, if the caller may see it. */
  forkedFrom: ProjectView | null;
  sharedGroups: SharedGroup[];
  customAttributes: { key: string; value: string }[];
  standings: ProjectAccessLevels;
  permissions: ProjectPermissions;
}

export interface RelatedOptions {
  /** Leaves out what only the full object contains. */
  simple?: boolean;
  customAttributes?: boolean;
}

const topicsOf = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('project_topics')
    .innerJoin('topics', 'topics.id', 'project_topics.topic_id')
    .select(['project_id', 'name'])
    .where('project_id', 'in', ids)
    .orderBy('position')
    .orderBy('name'),
);

const countForks = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('projects')
    .select(({ fn }) => ['forked_from_id', fn.countAll<number>().as('count')])
    .where('forked_from_id', 'in', ids)
    .groupBy('forked_from_id'),
);

const NOBODY: ProjectAccessLevels = { ...atLevel(0), projectAccess: null, groupAccess: null };

/** Loads the data for the JSON of projects with a fixed number of queries. */
export async function loadViews(
  deps: Deps,
  caller: Caller,
  projects: readonly Project[],
  options: RelatedOptions = {},
): Promise<ProjectView[]> {
  if (projects.length === 0) return [];
  const { db } = deps;
  const ids = projects.map(({ id }) => id);
  const namespaces = await loadNamespaces(deps, projects);
  const names = await fullNames(db, [...namespaces.values()]);
  const standings = await loadStandings(deps, caller, projects, namespaces);
  const topics = await topicsOf(db, { ids });
  const forks = await countForks(db, { ids });
  const custom = options.customAttributes
    ? await db
        .selectFrom('custom_attributes')
        .selectAll()
        .where('source_type', '=', 'project')
        .where('source_id', 'in', ids)
        .orderBy('key')
        .execute()
    : [];
  const { simple = false } = options;
  const owners = simple ? new Map<number, User>() : await usersById(db, ownerIds(namespaces.values()));
  const shares = simple ? [] : await loadShares(deps, caller, ids);
  const openIssues = simple ? [] : await countOpenIssues(db, { ids });
  const sources = simple ? new Map<number, ProjectView>() : await loadSources(deps, caller, projects);
  return projects.map((project) => {
    const namespace = namespaces.get(project.namespace_id)!;
    const scope = standings.get(project.id) ?? NOBODY;
    const permissions = projectPermissionsAt(caller, project, caller.admin ? atLevel(AccessLevel.admin) : scope);
    return {
      project,
      namespace,
      namespaceFullName: names.get(namespace.id) ?? '',
      owner: owners.get(namespace.owner_id ?? 0) ?? null,
      topics: topics.filter(({ project_id }) => project_id === project.id).map(({ name }) => name),
      forksCount: Number(forks.find(({ forked_from_id }) => forked_from_id === project.id)?.count ?? 0),
      openIssuesCount: openIssuesOf(project.id, permissions, openIssues),
      forkedFrom: sources.get(project.forked_from_id ?? 0) ?? null,
      sharedGroups: shares
        .filter(({ source_id }) => source_id === project.id)
        .map(({ source_id: _, ...share }) => share),
      customAttributes: custom
        .filter(({ source_id }) => source_id === project.id)
        .map(({ key, value }) => ({ key, value })),
      standings: scope,
      permissions,
    };
  });
}

/** Counts open issues by project and confidentiality, from a covering index. */
const countOpenIssues = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('issues')
    .select(({ fn }) => ['project_id', 'confidential', fn.countAll<number>().as('count')])
    .where('project_id', 'in', ids)
    .where(sql<boolean>`state = 'opened'`)
    .groupBy(['project_id', 'confidential']),
);

/** Counts the issues visible to the caller. */
function openIssuesOf(
  id: number,
  permissions: ProjectPermissions,
  counts: Awaited<ReturnType<typeof countOpenIssues>>,
): number {
  const shown = (confidential: number) => permissions.can(confidential ? 'read_confidential_issues' : 'read_issue');
  return counts
    .filter(({ project_id, confidential }) => project_id === id && shown(confidential))
    .reduce((sum, { count }) => sum + Number(count), 0);
}

const ownerIds = (namespaces: Iterable<Namespace>): (number | null)[] =>
  [...namespaces].map(({ owner_id }) => owner_id);

async function loadNamespaces(deps: Deps, projects: readonly Project[]): Promise<Map<number, Namespace>> {
  const ids = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const rows = await namespacesOfIds(deps.db, { ids });
  return new Map(rows.map((row) => [row.id, row]));
}

async function loadStandings(
  deps: Deps,
  caller: Caller,
  projects: readonly Project[],
  namespaces: ReadonlyMap<number, Namespace>,
): Promise<Map<number, ProjectAccessLevels>> {
  if (caller.user === null) return new Map();
  return projectAccessLevels(deps.db, caller.user.id, projects, namespaces, today(deps.clock));
}

const sharesOf = (db: Db, ids: readonly number[]) =>
  db
    .selectFrom('group_links')
    .innerJoin('namespaces', 'namespaces.id', 'group_links.group_id')
    .select([
      'group_links.source_id',
      'group_links.group_id',
      'namespaces.name as group_name',
      'namespaces.full_path as group_full_path',
      'group_links.group_access as group_access_level',
      'group_links.expires_at',
    ])
    .where('group_links.source_type', '=', 'project')
    .where('group_links.source_id', 'in', ids)
    .orderBy('group_links.id');

interface Shown extends Ids {
  /** Visibilities that everyone may see. */
  open: readonly ('public' | 'internal')[];
}

const allShares = prepared((db, { ids }: Ids) => sharesOf(db, ids));
const openShares = prepared((db, { ids, open }: Shown) => sharesOf(db, ids).where('namespaces.visibility', 'in', open));
const sharesForUser = prepared((db, { ids, open, user, day }: Shown & { user: number; day: string }) =>
  sharesOf(db, ids).where((eb) =>
    eb.or([
      eb('namespaces.visibility', 'in', open),
      sql<boolean>`namespaces.id in ${groupsOf(user, AccessLevel.guest, day)}`,
    ]),
  ),
);

/** Loads the groups that the projects are shared with, as far as the caller may see them. */
async function loadShares({ db, clock }: Deps, { admin, user }: Caller, ids: readonly number[]) {
  if (admin) return allShares(db, { ids });
  if (user === null) return openShares(db, { ids, open: ['public'] });
  const open: Shown['open'] = user.external === 1 ? ['public'] : ['public', 'internal'];
  return sharesForUser(db, { ids, open, user: user.id, day: today(clock) });
}

/** Loads the sources of forks that the caller may see, by id. */
async function loadSources(
  deps: Deps,
  caller: Caller,
  projects: readonly Project[],
): Promise<Map<number, ProjectView>> {
  const ids = [...new Set(projects.map(({ forked_from_id }) => forked_from_id))].filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const rows = await projectsOfIds(deps.db, { ids });
  const views = await loadViews(deps, caller, rows, { simple: true });
  return new Map(
    views.filter(({ permissions }) => permissions.can('read_project')).map((view) => [view.project.id, view]),
  );
}
