import { projectsOfIds } from '../../../../access/find-by-id.ts';
import { parseJson } from '../../../../db/columns.ts';
import type { MergeParams, MergeRequest as Row } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { userBasic } from '../../../identity/index.ts';
import {
  presentLabels,
  referencesOf,
  taskCompletion,
  timeStatsOf,
  type Viewpoint,
} from '../../issuables/issuables.views.ts';
import type { MergeRequestBasic, MergeRequestSimple } from './merge-requests.responses.ts';
import { loadMergeRequestViews, type MergeRequestView } from './merge-requests.view-rows.ts';

export interface MergeRequestOptions {
  /** Viewpoint for `references.relative`; none when absent. */
  from?: Viewpoint;
  withLabelsDetails?: boolean;
  /** Title and description as HTML. */
  html?: Pick<MergeRequestBasic, 'title_html' | 'description_html'>;
}

/** `merge_status` in responses: a check in progress is `checking`. */
function shownStatus({ merge_status }: Row): MergeRequestBasic['merge_status'] {
  switch (merge_status) {
    case 'preparing':
    case 'cannot_be_merged_rechecking':
      return 'checking';
    default:
      return merge_status;
  }
}

/** Web URL of a merge request. */
export const mergeRequestUrl = (deps: Pick<Deps, 'externalUrl'>, fullPath: string, iid: number): string =>
  `${deps.externalUrl()}/${fullPath}/-/merge_requests/${iid}`;

const simple = (deps: Deps, { row, project }: Pick<MergeRequestView, 'row' | 'project'>): MergeRequestSimple => ({
  id: row.id,
  iid: row.iid,
  project_id: row.project_id,
  title: row.title,
  description: row.description,
  state: row.state,
  created_at: row.created_at,
  updated_at: row.updated_at,
  web_url: mergeRequestUrl(deps, project.full_path, row.iid),
});

function squashOnMerge({ row, settings }: MergeRequestView): boolean {
  if (settings.squash_option === 'always') return true;
  return settings.squash_option !== 'never' && row.squash === 1;
}

function people(deps: Deps, view: MergeRequestView) {
  const assignees = view.assignees.map((user) => userBasic(deps, user));
  const mergeUser = view.mergeUser === null ? null : userBasic(deps, view.mergeUser);
  return {
    merged_by: view.row.state === 'merged' ? mergeUser : null,
    merge_user: mergeUser,
    closed_by: view.closedBy === null ? null : userBasic(deps, view.closedBy),
    author: userBasic(deps, view.author),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: view.reviewers.map((user) => userBasic(deps, user)),
  };
}

/** Presents a merge request from a loaded view. */
export function presentView(deps: Deps, view: MergeRequestView, options: MergeRequestOptions): MergeRequestBasic {
  const { row, project } = view;
  const references = referencesOf('!', row.iid, project, options.from ?? null);
  const { should_remove_source_branch = null } = parseJson<MergeParams>(row.merge_params);
  const collaboration = row.allow_collaboration === 1;
  return {
    ...simple(deps, view),
    ...people(deps, view),
    ...options.html,
    merged_at: row.merged_at,
    closed_at: row.closed_at,
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    user_notes_count: row.user_notes_count,
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    labels: presentLabels(view.labels, options.withLabelsDetails === true),
    draft: row.draft === 1,
    imported: false,
    imported_from: 'none',
    work_in_progress: row.draft === 1,
    milestone: view.milestone,
    merge_when_pipeline_succeeds: row.auto_merge === 1,
    merge_status: shownStatus(row),
    detailed_merge_status: view.detailedStatus,
    merge_after: row.merge_after,
    sha: row.head_sha,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
    should_remove_source_branch,
    force_remove_source_branch: row.remove_source_branch === 1,
    prepared_at: row.prepared_at,
    ...(row.source_project_id === row.project_id
      ? {}
      : { allow_collaboration: collaboration, allow_maintainer_to_push: collaboration }),
    reference: references.short,
    references,
    time_stats: timeStatsOf(row),
    squash: row.squash === 1,
    squash_on_merge: squashOnMerge(view),
    task_completion_status: taskCompletion(row.description),
    has_conflicts: row.merge_status === 'cannot_be_merged',
    blocking_discussions_resolved: view.discussionsResolved,
    approvals_before_merge: row.approvals_before_merge,
  };
}

/** Presents merge requests for lists, in a fixed number of queries. */
export async function presentMergeRequests(
  deps: Deps,
  rows: readonly Row[],
  options: MergeRequestOptions = {},
): Promise<MergeRequestBasic[]> {
  const views = await loadMergeRequestViews(deps, rows);
  return views.map((view) => presentView(deps, view, options));
}

/** Presents merge requests with `view=simple`. */
export async function presentSimple(deps: Deps, rows: readonly Row[]): Promise<MergeRequestSimple[]> {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ project_id }) => project_id))];
  const projects = await projectsOfIds(deps.db, { ids });
  return rows.flatMap((row) => {
    const project = projects.find(({ id }) => id === row.project_id);
    return project === undefined ? [] : simple(deps, { row, project });
  });
}
