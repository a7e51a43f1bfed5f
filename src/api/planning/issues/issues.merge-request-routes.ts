import { type Expression, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import { today } from '../../../core/clock.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { visibleMergeRequests } from '../issuables/visible-merge-requests.ts';
import { MergeRequestBasic } from '../merge-requests/views/merge-requests.responses.ts';
import { presentMergeRequests } from '../merge-requests/views/merge-requests.views.ts';
import { findIssue } from './issues.find.ts';
import { IssueParams } from './issues.inputs.ts';

const closing = (id: number) =>
  sql`select c.merge_request_id from merge_requests_closing_issues c where c.issue_id = ${id}`;
const mentioning = (id: number) => sql`
  select r.source_id from cross_references r
  where r.target_type = 'Issue' and r.target_id = ${id} and r.source_type = 'MergeRequest'`;

/** Endpoint that lists related merge requests of an issue that the caller may see. */
const list = (path: string, summary: string, related: (id: number) => Expression<SqlBool>) =>
  route({
    method: 'GET',
    path: `/projects/:id/issues/:issue_iid/${path}`,
    summary,
    access: inProject('read_issue', { anonymous: true }),
    params: IssueParams,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(MergeRequestBasic) },
    errors: [404],
    handler: async (c) => {
      const { deps, caller } = c;
      const issue = await findIssue(deps.db, c, c.params.issue_iid);
      const query = deps.db
        .selectFrom('merge_requests')
        .selectAll('merge_requests')
        .where(related(issue.id))
        .where(visibleMergeRequests(caller, today(deps.clock)))
        .orderBy('merge_requests.id');
      return c.page(query, (rows) => presentMergeRequests(deps, rows, { from: { project: c.project } }));
    },
  });

export const issueMergeRequestRoutes = [
  list(
    'closed_by',
    'List the merge requests that close an issue when they are merged',
    (id) => sql<SqlBool>`merge_requests.id in (${closing(id)})`,
  ),
  list(
    'related_merge_requests',
    'List the merge requests that refer to an issue',
    (id) => sql<SqlBool>`merge_requests.id in (${closing(id)} union ${mentioning(id)})`,
  ),
];
