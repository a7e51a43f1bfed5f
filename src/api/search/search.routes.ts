import { type Route, type RouteLimit, route } from '../../http/http.route.ts';
import { inGroup, inProject, requireUser, signedIn } from '../api.access.ts';
import { findBlobs, findCommits } from './search.code.ts';
import { SearchEverywhere, SearchInGroup, SearchInProject } from './search.inputs.ts';
import type { Search } from './search.place.ts';
import { RECORD_SCOPES } from './search.records.ts';
import { Found } from './search.responses.ts';

/** Answers a page of what a search finds. */
function answer(search: Search): unknown {
  const { scope } = search.input;
  switch (scope) {
    case 'blobs':
      return findBlobs(search, 'project');
    case 'wiki_blobs':
      return findBlobs(search, 'wiki');
    case 'commits':
      return findCommits(search);
    default:
      return RECORD_SCOPES[scope](search);
  }
}

/** Searches of all places count together. */
const limit: RouteLimit = { setting: 'search_rate_limit', periodSeconds: 60 };
const success = { status: 200 as const, schema: Found };
const BOUNDS =
  'Finds what the corresponding lists show to the caller, in their form. Comments: among the 10,000 most recent ones, with system notes. Files and commits: at most 1,000 matches, first those of paths; lines are cut after 1,000 bytes. Comments, files and commits are not counted.';
const MANY =
  'Default branches of the 100 repositories with the most recent activity are searched; those that take more than a second of processor time contribute what was found until then.';

const inGroups = (path: string, operationId: string): Route =>
  route({
    method: 'GET',
    path,
    operationId,
    summary: 'Search in a group and its subgroups',
    description: `${BOUNDS} ${MANY}`,
    access: inGroup('read_group'),
    limit,
    expensive: true,
    input: SearchInGroup,
    success,
    errors: [400, 429],
    handler: (c) =>
      answer({
        c,
        caller: requireUser(c.caller),
        place: { kind: 'group', group: c.group, permissions: c.permissions },
        input: c.input,
      }),
  });

const inProjects = (path: string, operationId: string): Route =>
  route({
    method: 'GET',
    path,
    operationId,
    summary: 'Search in a project',
    description: `${BOUNDS} Parts of the project that are closed to the caller contain nothing.`,
    access: inProject('read_project'),
    limit,
    expensive: true,
    input: SearchInProject,
    success,
    errors: [400, 404, 429],
    handler: (c) => {
      const { project, namespace, permissions } = c;
      const place = { kind: 'project' as const, project, namespace, permissions };
      return answer({ c, caller: requireUser(c.caller), place, input: c.input });
    },
  });

export const searchRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/search',
    operationId: 'searchEverywhere',
    summary: 'Search in everything that the caller may see',
    description: `${BOUNDS} ${MANY}`,
    access: signedIn,
    limit,
    expensive: true,
    input: SearchEverywhere,
    success,
    errors: [400, 429],
    handler: (c) => answer({ c, caller: c.caller, place: { kind: 'everywhere' }, input: c.input }),
  }),
  inGroups('/groups/:id/search', 'searchInGroup'),
  inGroups('/groups/:id/-/search', 'searchInGroupWithDash'),
  inProjects('/projects/:id/search', 'searchInProject'),
  inProjects('/projects/:id/-/search', 'searchInProjectWithDash'),
];
