import { readableSnippets } from '../../access/access.snippets.ts';
import { today } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import { containsWords } from '../../db/like.ts';
import { presentSnippets } from '../code/index.ts';
import { listOfUsers, userBasic, usersById } from '../identity/index.ts';
import {
  listMergeRequests,
  milestonesById,
  pageOfIssuables,
  presentIssues,
  presentMergeRequests,
  selectIssues,
  visibleMilestones,
} from '../planning/index.ts';
import {
  activeMembers,
  groupQuery,
  groupSource,
  presentGroups,
  presentProjects,
  projectList,
  projectSource,
} from '../spaces/index.ts';
import { presentComments, readComments } from './search.comments.ts';
import type { SearchScope } from './search.inputs.ts';
import { projectsFilter, type Search } from './search.place.ts';

/** Number of an issue (`#`) or merge request (`!`). */
const NUMBER = { '#': /^#(\d{1,9})$/, '!': /^!(\d{1,9})$/ } as const;

/** Filters of issues and merge requests, as their lists have them. */
function issuableFilters(search: Search, sign: '#' | '!') {
  const { input } = search;
  const text = input.search.trim();
  const iid = NUMBER[sign].exec(text)?.[1];
  return {
    ...(iid === undefined ? { search: text } : { iids: [Number(iid)] }),
    ...(input.fields === undefined ? {} : { in: input.fields }),
    order_by: 'created_at' as const,
    sort: input.sort ?? 'desc',
    non_archived: projectsFilter(search).nonArchived,
  };
}

/** Scope of lists of issues and merge requests. */
function listScope({ place }: Search) {
  if (place.kind === 'project') return { project: place };
  return place.kind === 'group' ? { below: place.group.lineage } : {};
}

/** What references in the answer are relative to. */
function viewpoint({ place }: Search) {
  if (place.kind === 'project') return { project: place.project };
  return place.kind === 'group' ? { groupId: place.group.id } : null;
}

async function projects(search: Search) {
  const { c, caller, place, input } = search;
  const filters = { search: input.search, sort: input.sort ?? 'desc', ...activeOnly(search) };
  const base = place.kind === 'group' ? { below: place.group.lineage } : {};
  const query = await projectList(c.deps, caller, { ...filters, order_by: 'created_at' }, base);
  return c.page(query, (rows) => presentProjects(c.deps, caller, rows, { simple: true }));
}

const activeOnly = ({ input }: Search) => (input.include_archived === true ? {} : { archived: false });

async function groups(search: Search) {
  const { c, caller, input } = search;
  const filters = { search: input.search.trim(), all_available: true, ...activeOnly(search) };
  const query = await groupQuery(c.deps, caller, { ...filters, order_by: 'id', sort: input.sort ?? 'desc' });
  return c.page(query, (rows) => presentGroups(c.deps, caller, rows));
}

function issues(search: Search) {
  const { c, caller, input } = search;
  const { deps } = c;
  const state = input.state === 'merged' ? 'closed' : input.state;
  const filters = {
    ...issuableFilters(search, '#'),
    ...(state === undefined ? {} : { state }),
    ...(input.confidential === undefined ? {} : { confidential: input.confidential }),
  };
  return c.page(
    async (page) => {
      const selection = await selectIssues(deps, caller, listScope(search), filters);
      return pageOfIssuables(deps, deps.db.selectFrom('issues').selectAll('issues'), selection, page);
    },
    (rows) => presentIssues(deps, caller, rows, { from: viewpoint(search) }),
  );
}

function mergeRequests(search: Search) {
  const { c, caller, place, input } = search;
  if (place.kind === 'project' && !place.permissions.can('read_merge_request')) return c.page([]);
  const filters = { ...issuableFilters(search, '!'), ...(input.state === undefined ? {} : { state: input.state }) };
  return c.page(
    (page) => listMergeRequests(c.deps, caller, listScope(search), filters, page),
    (rows) => presentMergeRequests(c.deps, rows, { from: viewpoint(search) }),
  );
}

async function milestones(search: Search) {
  const { c, caller, place, input } = search;
  if (place.kind === 'project' && !place.permissions.can('read_milestone')) return c.page([]);
  const { deps } = c;
  const direction = input.sort ?? 'desc';
  let query = deps.db.selectFrom('milestones').selectAll();
  if (place.kind === 'project') query = query.where('project_id', '=', place.project.id);
  else query = query.where(await visibleMilestones(deps, deps.db, caller, projectsFilter(search)));
  if (input.search.trim() !== '') {
    query = query.where((eb) => containsWords([eb.ref('title'), eb.ref('description')], input.search));
  }
  return c.page(query.orderBy('created_at', direction).orderBy('id', direction), async (rows) => {
    const shown = await milestonesById(deps, deps.db, pluck(rows, 'id'));
    return rows.flatMap(({ id }) => shown.get(id) ?? []);
  });
}

function snippetTitles({ c, caller, input }: Search) {
  const direction = input.sort ?? 'desc';
  let query = c.deps.db
    .selectFrom('snippets')
    .selectAll('snippets')
    .where(readableSnippets(caller, today(c.deps.clock)));
  if (input.search.trim() !== '') {
    query = query.where((eb) => containsWords([eb.ref('title'), eb.ref('description')], input.search));
  }
  return c.page(query.orderBy('created_at', direction).orderBy('id', direction), (rows) =>
    presentSnippets(c.deps, caller, rows),
  );
}

/** Users of the server; in a project or group its members. */
function users(search: Search) {
  const { c, caller, place, input } = search;
  const { deps } = c;
  const text = input.search.trim();
  if (place.kind === 'everywhere') {
    return c.page(listOfUsers(deps, caller, { search: text }), (rows) => rows.map((user) => userBasic(deps, user)));
  }
  const ability =
    place.kind === 'project' ? place.permissions.can('read_members') : place.permissions.can('read_group_members');
  if (!ability) return c.page([]);
  const source = place.kind === 'project' ? projectSource(place.project, place.namespace) : groupSource(place.group);
  return c.page(activeMembers(deps, source, { query: text }), async (rows) => {
    const byId = await usersById(deps.db, pluck(rows, 'user_id'));
    return rows.flatMap(({ user_id }) => {
      const user = byId.get(user_id);
      return user === undefined ? [] : [userBasic(deps, user)];
    });
  });
}

const notes = (search: Search) =>
  search.c.page(
    (page) => readComments(search, page),
    (rows) => presentComments(search.c.deps, rows),
  );

/** Scopes of what is in the database. */
export const RECORD_SCOPES = {
  projects,
  groups,
  issues,
  merge_requests: mergeRequests,
  milestones,
  snippet_titles: snippetTitles,
  users,
  notes,
} as const satisfies Partial<Record<SearchScope, (search: Search) => unknown>>;
