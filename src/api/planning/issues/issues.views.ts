import type { Caller } from '../../../access/caller.ts';
import type { Issue as IssueRow } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic } from '../../identity/index.ts';
import {
  presentLabels,
  referencesOf,
  taskCompletion,
  timeStatsOf,
  type Viewpoint,
} from '../issuables/issuables.views.ts';
import type { Issue, IssueBasic } from './issues.responses.ts';
import { type IssueView, loadIssueViews } from './issues.view-rows.ts';

export interface IssueOptions {
  /** Viewpoint for `references.relative`; none when absent. */
  from?: Viewpoint;
  withLabelsDetails?: boolean;
  /** Adds `subscribed` for a signed-in caller. */
  subscribed?: boolean;
}

function basic(deps: Deps, view: IssueView, options: IssueOptions): IssueBasic {
  const { issue, project } = view;
  const assignees = view.assignees.map((user) => userBasic(deps, user));
  return {
    id: issue.id,
    iid: issue.iid,
    project_id: issue.project_id,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    closed_by: view.closedBy === null ? null : userBasic(deps, view.closedBy),
    labels: presentLabels(view.labels, options.withLabelsDetails === true),
    milestone: view.milestone,
    assignees,
    author: userBasic(deps, view.author),
    type: issue.issue_type.toUpperCase(),
    assignee: assignees[0] ?? null,
    user_notes_count: issue.user_notes_count,
    merge_requests_count: view.mergeRequestsCount,
    upvotes: issue.upvotes,
    downvotes: issue.downvotes,
    start_date: issue.start_date,
    due_date: issue.due_date,
    confidential: issue.confidential === 1,
    discussion_locked: issue.discussion_locked === null ? null : issue.discussion_locked === 1,
    issue_type: issue.issue_type,
    web_url: issueUrl(deps, project.full_path, issue.iid),
    time_stats: timeStatsOf(issue),
    task_completion_status: taskCompletion(issue.description),
    weight: issue.weight,
    blocking_issues_count: view.blockingCount,
    ...(view.subscribed === null ? {} : { subscribed: view.subscribed }),
  };
}

/** Web URL of an issue. */
export const issueUrl = (deps: Pick<Deps, 'externalUrl'>, fullPath: string, iid: number): string =>
  `${deps.externalUrl()}/${fullPath}/-/issues/${iid}`;

function full(deps: Deps, view: IssueView, options: IssueOptions): Issue {
  const { issue, project } = view;
  const api = `${deps.externalUrl()}/api/v4/projects`;
  const self = `${api}/${project.id}/issues/${issue.iid}`;
  const summary = basic(deps, view, options);
  const { count, completed_count } = summary.task_completion_status;
  const duplicate = view.duplicateOf;
  return {
    ...summary,
    has_tasks: count > 0,
    ...(count > 0
      ? { task_status: `${completed_count} of ${count} checklist item${count === 1 ? '' : 's'} completed` }
      : {}),
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project: `${api}/${project.id}`,
      closed_as_duplicate_of: duplicate === null ? null : `${api}/${duplicate.project_id}/issues/${duplicate.iid}`,
    },
    references: referencesOf('#', issue.iid, project, options.from ?? null),
    severity: issue.severity,
    moved_to_id: issue.moved_to_id,
    imported: false,
    imported_from: 'none',
    service_desk_reply_to: null,
    epic_iid: null,
    epic: null,
    iteration: null,
    health_status: issue.health_status,
  };
}

/** Presents issues, in a fixed number of queries. */
export async function presentIssues(
  deps: Deps,
  caller: Caller,
  issues: readonly IssueRow[],
  options: IssueOptions = {},
): Promise<Issue[]> {
  const views = await loadIssueViews(deps, caller, issues, options.subscribed === true);
  return views.map((view) => full(deps, view, options));
}

/** As `presentIssues`, with the attributes that other objects embed. */
export async function presentBasicIssues(
  deps: Deps,
  caller: Caller,
  issues: readonly IssueRow[],
  options: Omit<IssueOptions, 'from'> = {},
): Promise<IssueBasic[]> {
  const views = await loadIssueViews(deps, caller, issues, options.subscribed === true);
  return views.map((view) => basic(deps, view, options));
}
