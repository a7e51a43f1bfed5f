import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { unauthorized } from '../../../core/core.errors.ts';
import type { Issue as IssueRow } from '../../../db/tables/issues.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import type { PageLimits, ReadPage } from '../../../http/listing.ts';
import { anyone, inGroup, inProject } from '../../api.access.ts';
import { filterRules } from '../issuables/issuables.filter-inputs.ts';
import { pageOfIssuables } from '../issuables/issuables.page.ts';
import type { Viewpoint } from '../issuables/issuables.views.ts';
import {
  AllIssuesInput,
  AllStatisticsInput,
  GroupIssuesInput,
  type IssueFilters,
  ProjectIssuesInput,
  ProjectStatisticsInput,
  StatisticsInput,
} from './issues.filter-inputs.ts';
import { issuesByKeyset } from './issues.keyset.ts';
import { type IssueListScope, issueCounts, selectIssues } from './issues.list.ts';
import { Issue } from './issues.responses.ts';
import { presentIssues } from './issues.views.ts';

const Issues = Type.Array(Issue);
const Statistics = Type.Object({
  statistics: Type.Object({
    counts: Type.Object({ all: Type.Integer(), closed: Type.Integer(), opened: Type.Integer() }),
  }),
});

/** Reads a page of issues by offset. */
const byOffset =
  ({ deps, caller }: BaseContext, scope: IssueListScope, input: IssueFilters): ReadPage<IssueRow[]> =>
  async (page) => {
    const selection = await selectIssues(deps, caller, scope, input);
    return pageOfIssuables(deps, deps.db.selectFrom('issues').selectAll('issues'), selection, page);
  };

const answerPage = (
  c: BaseContext,
  list: ReadPage<IssueRow[]>,
  from: Viewpoint,
  input: IssueFilters,
  limits?: PageLimits,
) =>
  c.page(
    list,
    (rows) => presentIssues(c.deps, c.caller, rows, { from, withLabelsDetails: input.with_labels_details === true }),
    limits,
  );

const statistics = async (c: BaseContext, scope: IssueListScope, input: IssueFilters) => ({
  statistics: { counts: await issueCounts(c.deps, c.caller, scope, input) },
});

/** Requires `scope=all` of anonymous callers. @throws ApiError 401 */
function requireScopeAll(caller: Caller, scope: string | undefined): void {
  if (caller.user === null && scope !== 'all') throw unauthorized();
}

export const issueListRoutes = [
  route({
    method: 'GET',
    path: '/issues',
    summary: 'List issues of all projects that the caller may see',
    description: "By default the caller's own issues, see `scope`. Anonymous callers must give `scope=all`.",
    access: anyone,
    input: AllIssuesInput,
    rules: filterRules,
    success: { status: 200, schema: Issues },
    errors: [401],
    handler: (c) => {
      requireScopeAll(c.caller, c.input.scope);
      return answerPage(c, byOffset(c, {}, c.input), null, c.input);
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/issues',
    summary: 'List the issues of a group and its subgroups',
    access: inGroup('read_group_issues', { anonymous: true }),
    input: GroupIssuesInput,
    rules: filterRules,
    success: { status: 200, schema: Issues },
    handler: (c) => answerPage(c, byOffset(c, { below: c.group.lineage }, c.input), { groupId: c.group.id }, c.input),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/issues',
    summary: 'List the issues of a project',
    credentials: API_AND_JOB_TOKENS,
    description: 'Empty if the caller has no access to issues of the project.',
    access: inProject('read_project', { anonymous: true }),
    input: ProjectIssuesInput,
    rules: filterRules,
    success: { status: 200, schema: Issues },
    errors: [405],
    handler: async (c) => {
      const scope = { project: c };
      const from = { project: c.project };
      if (c.input.pagination !== 'keyset') {
        return answerPage(c, byOffset(c, scope, c.input), from, c.input, { offsetsOf: 'Issue' });
      }
      return answerPage(c, await issuesByKeyset(c.deps, c.caller, scope, c.input), from, c.input);
    },
  }),
  route({
    method: 'GET',
    path: '/issues_statistics',
    summary: 'Count issues of all projects that the caller may see, by state',
    access: anyone,
    input: AllStatisticsInput,
    rules: filterRules,
    success: { status: 200, schema: Statistics },
    errors: [401],
    handler: (c) => {
      requireScopeAll(c.caller, c.input.scope);
      return statistics(c, {}, c.input);
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/issues_statistics',
    summary: 'Count the issues of a group by state',
    access: inGroup('read_group_issues', { anonymous: true }),
    input: StatisticsInput,
    rules: filterRules,
    success: { status: 200, schema: Statistics },
    handler: (c) => statistics(c, { below: c.group.lineage }, c.input),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/issues_statistics',
    summary: 'Count the issues of a project by state',
    access: inProject('read_project', { anonymous: true }),
    input: ProjectStatisticsInput,
    rules: filterRules,
    success: { status: 200, schema: Statistics },
    handler: (c) => statistics(c, { project: c }, c.input),
  }),
];
