import { connectionOfList, fetchAllPages, fetchConnection, type PageArguments } from './graphql.connection.ts';
import { type Arguments, id, issueQuery, localId, type Resolve, rows } from './reading.ts';
import type { Json, Rest } from './rest.ts';

/** Work item types of issues, with id and name of the platform. */
const TYPES: Record<string, { id: number; name: string }> = {
  issue: { id: 1, name: 'Issue' },
  incident: { id: 2, name: 'Incident' },
  test_case: { id: 3, name: 'Test Case' },
  requirement: { id: 4, name: 'Requirement' },
  task: { id: 5, name: 'Task' },
  ticket: { id: 9, name: 'Ticket' },
};

const WIDGETS = {
  DESCRIPTION: 'WorkItemWidgetDescription',
  ASSIGNEES: 'WorkItemWidgetAssignees',
  LABELS: 'WorkItemWidgetLabels',
  MILESTONE: 'WorkItemWidgetMilestone',
  START_AND_DUE_DATE: 'WorkItemWidgetStartAndDueDate',
  WEIGHT: 'WorkItemWidgetWeight',
  TIME_TRACKING: 'WorkItemWidgetTimeTracking',
};

const query = (args: Arguments) => {
  const iids = Array.isArray(args.iids) ? args.iids : typeof args.iid === 'string' ? [args.iid] : undefined;
  return {
    ...issueQuery(args),
    iids,
    assignee_username: rows(args.assigneeUsernames).length > 0 ? args.assigneeUsernames : undefined,
    confidential: args.confidential,
    created_after: args.createdAfter,
    created_before: args.createdBefore,
    updated_after: args.updatedAfter,
    updated_before: args.updatedBefore,
  } as Parameters<Rest['page']>[1];
};

async function listWorkItems(rest: Rest, path: string, args: Arguments) {
  const page = args as PageArguments;
  if (!Array.isArray(args.types)) return fetchConnection(rest, path, query(args), page);
  const types = [...new Set((args.types as string[]).map((type) => type.toLowerCase()))].filter(
    (type) => type in TYPES,
  );
  const [only] = types;
  if (types.length === 1) return fetchConnection(rest, path, { ...query(args), issue_type: only! }, page);
  if (types.length === Object.keys(TYPES).length) return fetchConnection(rest, path, query(args), page);
  const lists = await Promise.all(types.map((type) => fetchAllPages(rest, path, { ...query(args), issue_type: type })));
  const { sort } = query(args);
  // Default order: newest first.
  const sign = sort === 'asc' ? 1 : -1;
  return connectionOfList(
    lists.flat().sort((one, other) => sign * (Number(one.id) - Number(other.id))),
    page,
  );
}

/** Resolves a namespace by its path: a group, a user, or a project, which counts as a namespace here. */
export const namespace: Resolve = async (_source, { fullPath }, rest) => {
  const space = await rest.one(`/namespaces/${id(String(fullPath))}`);
  if (space !== null) return space;
  const project = await rest.one(`/projects/${id(String(fullPath))}`, { statistics: true });
  return (
    project && {
      ...project,
      kind: 'project',
      full_path: project.path_with_namespace,
      full_name: project.name_with_namespace,
    }
  );
};

/** Resolvers of `workItems` of namespaces, groups and projects. */
export const workItemsOf: Record<'Namespace' | 'Group' | 'Project', Resolve> = {
  Namespace: (source, args, rest) => {
    if (source.kind === 'project') return workItemsOf.Project(source, args, rest);
    return source.kind === 'group' ? workItemsOf.Group(source, args, rest) : connectionOfList([], args);
  },
  // Without descendants, a group has only epics, and this server has none.
  Group: (source, args, rest) =>
    args.includeDescendants === true
      ? listWorkItems(rest, `/groups/${source.id}/issues`, args)
      : connectionOfList([], args),
  Project: (source, args, rest) => listWorkItems(rest, `/projects/${source.id}/issues`, args),
};

/** Resolves a work item by its global id. */
export const workItem: Resolve = async (_source, args, rest) => {
  const place = await rest.placeOfIssue(localId(args.id));
  if (place === null) return null;
  const page = await rest.page(`/projects/${place.project_id}/issues`, {
    iids: [String(place.iid)],
    with_labels_details: true,
  });
  return page?.rows[0] ?? null;
};

const widget = (source: Json, type: keyof typeof WIDGETS): Json => ({ ...source, type, __typename: WIDGETS[type] });
const assignees: Resolve = (source, args) => connectionOfList(rows(source.assignees), args);

export const workItemResolvers: Record<string, Record<string, Resolve>> = {
  WorkItem: {
    state: ({ state }) => (state === 'opened' ? 'OPEN' : 'CLOSED'),
    workItemType: ({ issue_type }) => TYPES[String(issue_type)] ?? null,
    reference: ({ references }, { full }) => (references as { short: string; full: string })[full ? 'full' : 'short'],
    webPath: ({ web_url }) => new URL(String(web_url)).pathname,
    project: ({ project_id }, _args, rest) => rest.one(`/projects/${project_id}`),
    namespace: async ({ references }, _args, rest) =>
      namespace({}, { fullPath: (references as { full: string }).full.split('#')[0] }, rest),
    archived: async ({ project_id }, _args, rest) => (await rest.one(`/projects/${project_id}`))?.archived === true,
    imported: ({ imported }) => imported === true,
    features: (source) => source,
    widgets: (source, { onlyTypes }) => {
      const types = Object.keys(WIDGETS) as (keyof typeof WIDGETS)[];
      return types
        .filter((type) => !Array.isArray(onlyTypes) || onlyTypes.includes(type))
        .map((type) => widget(source, type));
    },
  },
  WorkItemType: { id: ({ id: number }) => `gid://gitlab/WorkItems::Type/${number}` },
  WorkItemFeatures: {
    description: (source) => widget(source, 'DESCRIPTION'),
    assignees: (source) => widget(source, 'ASSIGNEES'),
    labels: (source) => widget(source, 'LABELS'),
    milestone: (source) => widget(source, 'MILESTONE'),
    startAndDueDate: (source) => widget(source, 'START_AND_DUE_DATE'),
    weight: (source) => widget(source, 'WEIGHT'),
    timeTracking: (source) => widget(source, 'TIME_TRACKING'),
    // Issues have no status besides their state.
    status: () => null,
  },
  WorkItemWidgetAssignees: { assignees, allowsMultipleAssignees: () => true },
  WorkItemWidgetLabels: { labels: (source, args) => connectionOfList(rows(source.labels), args) },
  WorkItemWidgetTimeTracking: {
    timeEstimate: ({ time_stats }) => (time_stats as Json).time_estimate,
    totalTimeSpent: ({ time_stats }) => (time_stats as Json).total_time_spent,
  },
};
