import { sql } from 'kysely';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';

/** Query for the ids of the issues that the merge closes, without a check of the caller's rights. */
export const closedIssues = ({ id }: Pick<MergeRequest, 'id'>) => sql<{ id: number }>`
  select closing.issue_id as id from merge_requests_closing_issues closing where closing.merge_request_id = ${id}`;

/** As `closedIssues`, for given ids. */
export const idsOf = (ids: readonly number[]) => sql<{ id: number }>`
  select known.id from issues known where known.id in (${sql.join(ids.length === 0 ? [0] : ids)})`;

/** As `closedIssues`, for all issues that the merge request, its comments or its commits refer to. */
export const relatedIssues = ({
  id,
  project_id,
  latest_diff_id,
}: Pick<MergeRequest, 'id' | 'project_id' | 'latest_diff_id'>) => sql<{ id: number }>`
  ${closedIssues({ id })}
  union
  select named.target_id from cross_references named
    where named.source_type = 'MergeRequest' and named.source_id = ${id} and named.target_type = 'Issue'
  union
  select named.target_id from merge_request_commits made
    join cross_references named on named.source_sha = made.sha and named.source_project_id = ${project_id}
    where made.diff_id = ${latest_diff_id} and named.source_type = 'Commit' and named.target_type = 'Issue'`;
