import { GraphQLError, type GraphQLFieldResolver } from 'graphql';
import { connectionOfList, fetchConnection, MAX_PAGE } from './graphql.connection.ts';
import { members } from './graphql.members.ts';
import type { QueryBudget } from './limits/budget.ts';
import { type Arguments, id, issueQuery, list, localId, orderOf, type Resolve, rows, upperCase } from './reading.ts';
import type { Json, Rest } from './rest.ts';
import { namespace, workItem, workItemResolvers, workItemsOf } from './work-items.ts';

const mergeRequestQuery = (args: Arguments) => ({
  ...issueQuery(args),
  assignee_username: args.assigneeUsername,
  reviewer_username: args.reviewerUsername,
  source_branch: rows(args.sourceBranches)[0],
  target_branch: rows(args.targetBranches)[0],
  wip: args.draft === true ? 'yes' : args.draft === false ? 'no' : undefined,
});
const searched = ({ search }: Arguments) => ({ search });
const milestoneQuery = ({ state, search }: Arguments) => ({ state, search });

const project = ({ id: number }: Json) => `/projects/${number}`;
const group = ({ id: number }: Json) => `/groups/${number}`;
const mergeRequest = ({ project_id, iid }: Json) => `/projects/${project_id}/merge_requests/${iid}`;

/** The first row of a list whose filter matches at most one. */
async function first(rest: Rest, path: string, query: Parameters<Rest['page']>[1]): Promise<Json | null> {
  return (await rest.page(path, query))?.rows[0] ?? null;
}

const mine =
  (scope: string): Resolve =>
  (_source, args, rest) =>
    fetchConnection(rest, '/merge_requests', { scope, state: args.state as string, with_labels_details: true }, args);

const issuable: Record<string, Resolve> = {
  reference: ({ references }, { full }) => (references as { short: string; full: string })[full ? 'full' : 'short'],
  webPath: ({ web_url }) => new URL(String(web_url)).pathname,
  assignees: ({ assignees }, args) => connectionOfList(rows(assignees), args),
  labels: ({ labels }, args) => connectionOfList(rows(labels), args),
  timeEstimate: ({ time_stats }) => (time_stats as Json).time_estimate,
  totalTimeSpent: ({ time_stats }) => (time_stats as Json).total_time_spent,
  discussionLocked: ({ discussion_locked }) => discussion_locked === true,
};
const person: Record<string, Resolve> = {
  webPath: ({ web_url }) => new URL(String(web_url)).pathname,
  active: ({ state }) => state === 'active',
  human: ({ bot }) => bot !== true,
};
const approvals = (source: Json, rest: Rest) => rest.one(`${mergeRequest(source)}/approvals`);

/** Resolvers of fields that are not in the REST JSON under their own name. */
export const RESOLVERS: Record<string, Record<string, Resolve>> = {
  Query: {
    currentUser: (_source, _args, rest) => rest.one('/user'),
    metadata: (_source, _args, rest) => rest.one('/metadata'),
    project: (_source, { fullPath }, rest) => rest.one(`/projects/${id(String(fullPath))}`, { statistics: true }),
    projects: async (_source, args, rest) => {
      const { ids, membership, search, sort } = args;
      if (!Array.isArray(ids))
        return fetchConnection(rest, '/projects', { membership, search, ...orderOf(sort) } as never, args);
      const projects = await Promise.all(ids.map((one) => rest.one(`/projects/${id(localId(one))}`)));
      return connectionOfList(projects.filter((one) => one !== null));
    },
    group: (_source, { fullPath }, rest) => rest.one(`/groups/${id(String(fullPath))}`, { with_projects: false }),
    groups: list(() => '/groups', searched),
    namespace,
    workItem,
    user: (_source, args, rest) =>
      args.id === undefined
        ? first(rest, '/users', { username: String(args.username ?? '') })
        : rest.one(`/users/${id(localId(args.id))}`),
    users: async (_source, args, rest) => {
      if (!Array.isArray(args.usernames)) return fetchConnection(rest, '/users', searched(args) as never, args);
      const users = await Promise.all(args.usernames.map((username) => first(rest, '/users', { username })));
      return connectionOfList(users.filter((one) => one !== null));
    },
    echo: async (_source, { text }, rest) => {
      const user = await rest.one('/user');
      return `${user === null ? 'nil' : JSON.stringify(user.username)} says: ${String(text)}`;
    },
  },
  UserCore: person,
  CurrentUser: {
    ...person,
    admin: ({ is_admin }) => is_admin === true,
    groupCount: async (_source, _args, rest) =>
      (await rest.page('/groups', { min_access_level: 10, page: 1, per_page: 1 }))?.total ?? null,
    // There are no external workspaces.
    gitpodEnabled: () => false,
    namespace: ({ username }, _args, rest) => rest.one(`/namespaces/${id(String(username))}`),
    assignedMergeRequests: mine('assigned_to_me'),
    authoredMergeRequests: mine('created_by_me'),
    reviewRequestedMergeRequests: mine('reviews_for_me'),
    groups: list(
      () => '/groups',
      ({ search }) => ({ search, all_available: false }),
    ),
    contributedProjects: list((user) => `/users/${user.id}/contributed_projects`),
    starredProjects: list((user) => `/users/${user.id}/starred_projects`),
  },
  Namespace: {
    id: ({ kind, id: number }) => `gid://gitlab/${NAMESPACES[String(kind)]}/${number}`,
    fullName: ({ full_name, name }) => full_name ?? name,
    workItems: workItemsOf.Namespace,
  },
  Group: {
    parent: ({ parent_id }, _args, rest) => (parent_id === null ? null : rest.one(`/groups/${parent_id}`)),
    projects: list(
      (source) => `${group(source)}/projects`,
      ({ includeSubgroups, search, sort }) => ({ include_subgroups: includeSubgroups, search, ...orderOf(sort) }),
    ),
    descendantGroups: list((source) => `${group(source)}/descendant_groups`, searched),
    groupMembers: members('groups'),
    workItems: workItemsOf.Group,
    issues: list((source) => `${group(source)}/issues`, issueQuery),
    mergeRequests: list((source) => `${group(source)}/merge_requests`, mergeRequestQuery),
    labels: list(
      (source) => `${group(source)}/labels`,
      ({ searchTerm }) => ({ search: searchTerm }),
    ),
    milestones: list((source) => `${group(source)}/milestones`, milestoneQuery),
  },
  Project: {
    fullPath: ({ path_with_namespace }) => path_with_namespace,
    topics: ({ topics }) => topics,
    group: (source, _args, rest) => {
      const namespace = source.namespace as Json;
      return namespace.kind === 'group' ? rest.one(`/groups/${namespace.id}`) : null;
    },
    repository: (source) => source,
    issue: (source, { iid }, rest) =>
      first(rest, `${project(source)}/issues`, { iids: [String(iid)], with_labels_details: true }),
    issues: list((source) => `${project(source)}/issues`, issueQuery),
    mergeRequest: (source, { iid }, rest) =>
      first(rest, `${project(source)}/merge_requests`, { iids: [String(iid)], with_labels_details: true }),
    mergeRequests: list((source) => `${project(source)}/merge_requests`, mergeRequestQuery),
    label: async (source, { title }, rest) => rest.one(`${project(source)}/labels/${id(String(title))}`),
    labels: list(
      (source) => `${project(source)}/labels`,
      ({ searchTerm, includeAncestorGroups }) => ({
        search: searchTerm,
        include_ancestor_groups: includeAncestorGroups,
      }),
    ),
    milestones: list((source) => `${project(source)}/milestones`, milestoneQuery),
    projectMembers: members('projects'),
    workItems: workItemsOf.Project,
  },
  Repository: {
    exists: () => true,
    empty: ({ empty_repo, default_branch }) => empty_repo ?? default_branch === null,
    rootRef: ({ default_branch }) => default_branch ?? null,
    branchNames: async (source, { searchPattern, offset, limit }, rest) => {
      // `*` matches all; the REST API searches for a substring.
      const search = String(searchPattern).replaceAll('*', '');
      const cursor = Number(offset) > 0 ? Buffer.from(String(Number(offset) - 1)).toString('base64url') : null;
      const page = { first: Number(limit), after: cursor };
      const branches = await fetchConnection(rest, `${project(source)}/repository/branches`, { search }, page);
      return branches?.nodes.map(({ name }) => name) ?? null;
    },
  },
  Issue: { ...issuable, type: ({ issue_type }) => upperCase(issue_type), severity: ({ severity }) => severity ?? null },
  MergeRequest: {
    ...issuable,
    diffHeadSha: ({ sha }) => sha,
    conflicts: ({ has_conflicts }) => has_conflicts === true,
    autoMergeEnabled: ({ merge_when_pipeline_succeeds }) => merge_when_pipeline_succeeds === true,
    forceRemoveSourceBranch: ({ force_remove_source_branch }) => force_remove_source_branch ?? null,
    detailedMergeStatus: ({ detailed_merge_status }) => upperCase(detailed_merge_status),
    reviewers: ({ reviewers }) => connectionOfList(rows(reviewers)),
    approved: async (source, _args, rest) => (await approvals(source, rest))?.approved === true,
    approvalsRequired: async (source, _args, rest) => (await approvals(source, rest))?.approvals_required ?? null,
    approvalsLeft: async (source, _args, rest) => (await approvals(source, rest))?.approvals_left ?? null,
    approvedBy: async (source, _args, rest) =>
      connectionOfList(rows((await approvals(source, rest))?.approved_by).map(({ user }) => user as Json)),
    project: ({ project_id }, _args, rest) => rest.one(`/projects/${project_id}`),
    targetProject: ({ project_id }, _args, rest) => rest.one(`/projects/${project_id}`),
    sourceProject: ({ source_project_id }, _args, rest) =>
      source_project_id === null ? null : rest.one(`/projects/${source_project_id}`),
    commits: list((source) => `${mergeRequest(source)}/commits`),
    commitCount: async (source, _args, rest) =>
      (await rest.page(`${mergeRequest(source)}/commits`, { page: 1, per_page: 1 }))?.total ?? null,
  },
  ...workItemResolvers,
  Commit: { sha: ({ id: sha }) => sha },
  Label: { title: ({ name }) => name },
  Milestone: { webPath: ({ web_url }) => new URL(String(web_url)).pathname },
  Member: {
    user: (source) => source,
    accessLevel: ({ access_level }) => ({ level: access_level }),
  },
  AccessLevel: {
    integerValue: ({ level }) => level,
    stringValue: ({ level }) => ACCESS_LEVELS[Number(level)] ?? null,
  },
};

const ACCESS_LEVELS: Record<number, string> = {
  5: 'MINIMAL_ACCESS',
  10: 'GUEST',
  15: 'PLANNER',
  20: 'REPORTER',
  30: 'DEVELOPER',
  40: 'MAINTAINER',
  50: 'OWNER',
};

/** Type names of namespaces in global ids. */
const NAMESPACES: Record<string, string> = {
  group: 'Group',
  user: 'Namespaces::UserNamespace',
  project: 'Namespaces::ProjectNamespace',
};

/** Names of types in global ids, if they differ from the type name. */
const GLOBAL_NAMES: Record<string, string> = { UserCore: 'User', CurrentUser: 'User', Commit: 'CommitPresenter' };

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Charges the size of a value in the result, without its fields, which are charged separately. */
function count(budget: QueryBudget, name: string | number, value: unknown): void {
  if (Array.isArray(value)) for (const each of value) count(budget, '', each);
  else budget.charge(1, String(name).length + (typeof value === 'string' ? value.length : 0));
}

/** @throws GraphQLError for lists of arguments that are too long */
function checkLists(args: Arguments): void {
  for (const name in args) {
    const value = args[name];
    if (Array.isArray(value) && value.length > MAX_PAGE) {
      throw new GraphQLError(`${name} has more than ${MAX_PAGE} values. Split the query.`);
    }
  }
}

function valueIn(source: Json, args: Arguments, rest: Rest, type: string, field: string): unknown {
  const resolve = RESOLVERS[type]?.[field];
  if (resolve !== undefined) {
    checkLists(args);
    return resolve(source, args, rest);
  }
  if (field === 'id') return `gid://gitlab/${GLOBAL_NAMES[type] ?? type}/${String(source.id)}`;
  return source[field] ?? source[snake(field)] ?? null;
}

/**
 * Resolves a field by its resolver, `id` as a global id, any other field from the REST JSON. Charges the result to the
 * budget.
 */
export const resolveField: GraphQLFieldResolver<Json, Rest> = (source, args, rest, { parentType, fieldName, path }) => {
  const { budget } = rest;
  const value = valueIn(source, args as Arguments, rest, parentType.name, fieldName);
  if (!(value instanceof Promise)) {
    count(budget, path.key, value);
    return value;
  }
  return value.then(
    (resolved) => {
      count(budget, path.key, resolved);
      return resolved;
    },
    (error: unknown) => {
      budget.countError();
      throw error;
    },
  );
};
