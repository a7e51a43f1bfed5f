import type { Caller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from '../../identity/index.ts';
import { assigneesFor } from '../issuables/assignees.ts';
import { labelsFor } from '../issuables/issuables.labels.ts';
import { subscribedAmong } from '../issuables/issuables.subscriptions.ts';
import { visibleIssues } from '../issuables/visible-issues.ts';
import { visibleMergeRequests } from '../issuables/visible-merge-requests.ts';
import { milestonesById } from '../milestones/milestones.find.ts';
import type { Milestone } from '../milestones/milestones.responses.ts';

/** Data to present an issue. */
export interface IssueView {
  issue: Issue;
  project: Pick<Project, 'id' | 'namespace_id' | 'path' | 'full_path'>;
  author: User;
  closedBy: User | null;
  assignees: User[];
  labels: Label[];
  milestone: Milestone | null;
  mergeRequestsCount: number;
  /** Number of open issues that it blocks. */
  blockingCount: number;
  /** The issue that it duplicates, if the caller may see it. */
  duplicateOf: Pick<Issue, 'iid' | 'project_id'> | null;
  /** Null if not requested or the caller is anonymous. */
  subscribed: boolean | null;
}

/** Loads the data to present issues, in a fixed number of queries. */
export async function loadIssueViews(
  deps: Deps,
  caller: Caller,
  issues: readonly Issue[],
  withSubscribed: boolean,
): Promise<IssueView[]> {
  if (issues.length === 0) return [];
  const { db } = deps;
  const ids = issues.map(({ id }) => id);
  const projects = await projectsById(db, issues);
  const users = await usersById(
    db,
    issues.flatMap(({ author_id, closed_by_id }) => [author_id, closed_by_id]),
  );
  const assignees = await assigneesFor(db, 'Issue', ids);
  const labels = await labelsFor(db, 'Issue', ids);
  const milestones = await milestonesById(deps, db, pluck(issues, 'milestone_id'));
  const closing = await closingCounts(deps, caller, ids);
  const blocking = await blockingCounts(deps, caller, ids);
  const duplicates = await duplicateTargets(deps, caller, issues);
  const { user } = caller;
  const subscribed = withSubscribed && user !== null ? await subscribedAmong(db, 'Issue', issues, user.id) : null;
  return issues.map((issue) => ({
    issue,
    project: projects.get(issue.project_id)!,
    author: users.get(issue.author_id)!,
    closedBy: users.get(issue.closed_by_id ?? 0) ?? null,
    assignees: assignees.get(issue.id)!,
    labels: labels.get(issue.id)!,
    milestone: milestones.get(issue.milestone_id ?? 0) ?? null,
    mergeRequestsCount: closing.get(issue.id) ?? 0,
    blockingCount: blocking.get(issue.id) ?? 0,
    duplicateOf: duplicates.get(issue.duplicated_to_id ?? 0) ?? null,
    subscribed: subscribed === null ? null : subscribed.has(issue.id),
  }));
}

const projectsById = (db: Db, issues: readonly Issue[]) =>
  rowsById(db, 'projects', pluck(issues, 'project_id'), ['namespace_id', 'path', 'full_path']);

/** Number of merge requests that close each issue and that the caller may see. */
async function closingCounts(deps: Deps, caller: Caller, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await deps.db
    .selectFrom('merge_requests_closing_issues')
    // A cross join makes SQLite start from the few issues, not from all merge requests.
    .crossJoin('merge_requests')
    .whereRef('merge_requests.id', '=', 'merge_requests_closing_issues.merge_request_id')
    .select(({ fn }) => ['issue_id', fn.countAll<number>().as('count')])
    .where('issue_id', 'in', ids)
    .where(() => visibleMergeRequests(caller, today(deps.clock)))
    .groupBy('issue_id')
    .execute();
  return new Map(rows.map(({ issue_id, count }) => [issue_id, Number(count)]));
}

/** Number of open issues that each issue blocks and that the caller may see. */
async function blockingCounts(deps: Deps, caller: Caller, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await deps.db
    .selectFrom('issue_links')
    // A cross join makes SQLite start from the few links, not from all open issues.
    .crossJoin('issues')
    .whereRef('issues.id', '=', 'issue_links.target_id')
    .select(({ fn }) => ['issue_links.source_id', fn.countAll<number>().as('count')])
    .where('issue_links.source_id', 'in', ids)
    .where('issue_links.link_type', '=', 'blocks')
    .where('issues.state', '=', 'opened')
    .where(() => visibleIssues(caller, today(deps.clock)))
    .groupBy('issue_links.source_id')
    .execute();
  return new Map(rows.map(({ source_id, count }) => [source_id, Number(count)]));
}

async function duplicateTargets(deps: Deps, caller: Caller, issues: readonly Issue[]) {
  const ids = issues.flatMap(({ duplicated_to_id }) => duplicated_to_id ?? []);
  if (ids.length === 0) return new Map<number, Pick<Issue, 'iid' | 'project_id'>>();
  const rows = await deps.db
    .selectFrom('issues')
    .select(['id', 'iid', 'project_id'])
    .where('id', 'in', ids)
    .where(visibleIssues(caller, today(deps.clock)))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
