import { effectivePlan, includesPlan } from '../../access/access.plan.ts';
import type { Caller } from '../../access/caller.ts';
import { groupPermissions } from '../../access/permissions.ts';
import { readableProjects } from '../../access/readable-projects.ts';
import { visibleGroups } from '../../access/visible-groups.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import { notFound } from '../../core/core.errors.ts';
import { startsWith } from '../../db/like.ts';
import type { Wiki } from '../../db/tables/wikis.table.ts';
import type { Deps } from '../../deps.ts';
import { type Repository, resolveRevision } from '../../git/repository/index.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { findWiki } from '../../repositories/repository.wikis.ts';
import { defaultBranchOf, projectUrl } from '../code/index.ts';
import { type ProjectsFilter, projectsFilter, type Search } from './search.place.ts';

/** Number of repositories that one search looks into: those with the most recent activity. */
export const MAX_REPOSITORIES = 100;
const HEADS = 'refs/heads/';

/** A repository of a project or wiki. */
export interface SearchedHolder {
  row: Parameters<typeof repositoryOf>[1];
  projectId: number | null;
  groupId: number | null;
  /** URL of the project; empty for a wiki. */
  url: string;
}

/** A commit that is searched. */
export interface SearchedCommit {
  holder: SearchedHolder;
  repo: Repository;
  /** Name of the branch, or what the caller named. */
  ref: string;
  oid: string;
}

/** Opens the latest commit of a repository, or a named one; null if it is empty. @throws ApiError 404 for an unknown name */
export async function openSearched(
  deps: Deps,
  holder: SearchedHolder,
  ref: string | undefined,
): Promise<SearchedCommit | null> {
  const repo = repositoryOf(deps, holder.row);
  if (ref !== undefined && ref !== '') {
    const revision = await resolveRevision(repo, ref);
    if (revision === null) throw notFound('Commit');
    return { holder, repo, ref, oid: revision.oid };
  }
  const branch = await defaultBranchOf(repo);
  return branch === null
    ? null
    : { holder, repo, ref: branch.name.slice(HEADS.length).toWellFormed(), oid: branch.oid };
}

const ofWiki = (row: Wiki): SearchedHolder => ({ row, projectId: row.project_id, groupId: row.namespace_id, url: '' });

/** The repositories of projects whose code the caller may read. */
async function projectsToSearch(deps: Deps, caller: Caller, filter: ProjectsFilter): Promise<SearchedHolder[]> {
  const rows = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where((eb) =>
      readableProjects(
        eb,
        caller,
        { feature: 'repository', level: AccessLevel.reporter, ...filter },
        today(deps.clock),
      ),
    )
    .orderBy('last_activity_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_REPOSITORIES)
    .execute();
  return rows.map((row) => ({ row, projectId: row.id, groupId: null, url: projectUrl(deps, row) }));
}

/** The wikis of projects and groups that the caller may read. */
async function wikisToSearch(deps: Deps, caller: Caller, filter: ProjectsFilter): Promise<SearchedHolder[]> {
  const ofProjects = await deps.db
    .selectFrom('wikis')
    .innerJoin('projects', 'projects.id', 'wikis.project_id')
    .selectAll('wikis')
    .where(({ selectFrom, exists }) =>
      exists(
        selectFrom('projects')
          .select('projects.id')
          .whereRef('projects.id', '=', 'wikis.project_id')
          .where((eb) =>
            readableProjects(eb, caller, { feature: 'wiki', level: AccessLevel.guest, ...filter }, today(deps.clock)),
          ),
      ),
    )
    .orderBy('projects.last_activity_at', 'desc')
    .orderBy('wikis.id', 'desc')
    .limit(MAX_REPOSITORIES)
    .execute();
  return [...ofProjects, ...(await groupWikis(deps, caller, filter, MAX_REPOSITORIES - ofProjects.length))].map(ofWiki);
}

async function groupWikis(deps: Deps, caller: Caller, { below }: ProjectsFilter, limit: number): Promise<Wiki[]> {
  if (limit === 0 || !includesPlan(await effectivePlan(deps), 'premium')) return [];
  const visible = await visibleGroups(deps, caller);
  const groups = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', (eb) => eb.selectFrom('wikis').select('wikis.namespace_id').$castTo<{ namespace_id: number }>())
    .where(visible)
    .$if(below !== undefined, (query) => query.where((eb) => startsWith(eb, eb.ref('lineage'), below!)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const wikis: Wiki[] = [];
  for (const group of groups) {
    if (!(await groupPermissions(deps, caller, group)).can('read_group_wiki')) continue;
    const wiki = await findWiki(deps.db, { type: 'group', id: group.id });
    if (wiki !== undefined) wikis.push(wiki);
  }
  return wikis;
}

/** The repositories of a search that the caller may read; those of one project, or of many. */
export async function repositoriesToSearch(search: Search, kind: 'project' | 'wiki'): Promise<SearchedHolder[]> {
  const { c, caller, place } = search;
  const { deps } = c;
  if (place.kind !== 'project') {
    return (kind === 'wiki' ? wikisToSearch : projectsToSearch)(deps, caller, projectsFilter(search));
  }
  const { project, permissions } = place;
  if (!permissions.can(kind === 'wiki' ? 'read_wiki' : 'read_code')) return [];
  if (kind === 'project') {
    return [{ row: project, projectId: project.id, groupId: null, url: projectUrl(deps, project) }];
  }
  const wiki = await findWiki(deps.db, { type: 'project', id: project.id });
  return wiki === undefined ? [] : [ofWiki(wiki)];
}
