import { projectMembership } from '../../../../access/access.membership.ts';
import type { Caller } from '../../../../access/caller.ts';
import type { ProjectPermissions } from '../../../../access/permissions.ts';
import { AccessLevel } from '../../../../core/access-levels.ts';
import { today } from '../../../../core/clock.ts';
import { escapeHtml } from '../../../../core/html.ts';
import type { MergeRequest as Row } from '../../../../db/tables/merge-requests.table.ts';
import type { Namespace } from '../../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { divergence } from '../../../../git/history/index.ts';
import { renderDescription } from '../../../../references/render-text.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { canMergeInto } from '../../../../repositories/repository.protections.ts';
import { subscribedAmong } from '../../issuables/issuables.subscriptions.ts';
import { latestVersion } from '../lifecycle/merge-requests.version.ts';
import { headPipelineOf } from './head-pipeline.ts';
import type { MergeRequest } from './merge-requests.responses.ts';
import { loadMergeRequestViews } from './merge-requests.view-rows.ts';
import { type MergeRequestOptions, presentView } from './merge-requests.views.ts';

/** Project of a merge request, with the caller and their permissions. */
export interface MergeRequestScope {
  project: Project;
  namespace: Pick<Namespace, 'lineage' | 'owner_id'>;
  permissions: ProjectPermissions;
  caller: Caller;
}

export interface DetailOptions extends Omit<MergeRequestOptions, 'from' | 'html'> {
  /** Adds `title_html` and `description_html`. */
  renderHtml?: boolean;
  /** Adds `diverged_commits_count`. */
  divergedCommits?: boolean;
  /** Adds `rebase_in_progress`. */
  rebaseInProgress?: boolean;
}

/** Presents a single merge request with all attributes (part 1, section 2). */
export async function presentMergeRequest(
  deps: Deps,
  scope: MergeRequestScope,
  row: Row,
  options: DetailOptions = {},
): Promise<MergeRequest> {
  const { project, caller } = scope;
  const [view] = await loadMergeRequestViews(deps, [row]);
  const version = await latestVersion(deps.db, row);
  const { user } = caller;
  const html = options.renderHtml
    ? {
        title_html: escapeHtml(row.title),
        description_html: await renderDescription(deps, caller, scope, row.description),
      }
    : {};
  return {
    ...presentView(deps, view!, { ...options, html, from: { project } }),
    subscribed: user !== null && (await subscribedAmong(deps.db, 'MergeRequest', [row], user.id)).has(row.id),
    changes_count: version?.real_size ?? null,
    ...(await headPipelineOf(deps, caller, row)),
    diff_refs:
      version === undefined
        ? null
        : {
            base_sha: version.base_commit_sha,
            head_sha: version.head_commit_sha,
            start_sha: version.start_commit_sha,
          },
    merge_error: row.merge_error,
    ...(options.rebaseInProgress ? { rebase_in_progress: row.rebase_started_at !== null } : {}),
    ...(options.divergedCommits ? { diverged_commits_count: await divergedCommits(deps, project, row) } : {}),
    first_contribution: await isFirstContribution(deps, scope, row),
    user: { can_merge: await canMergeInto(deps, scope, project.id, row.target_branch) },
  };
}

/** Number of commits of the target branch that the head lacks. */
async function divergedCommits(deps: Deps, project: Project, row: Row): Promise<number> {
  const repo = repositoryOf(deps, project);
  try {
    const target = await repo.refs.resolve(`refs/heads/${row.target_branch}`);
    if (target === null || row.head_sha === null) return 0;
    return (await divergence(repo, target, row.head_sha)).ahead;
  } catch (error) {
    // The head may not be in the target repository yet.
    if (error instanceof GitError) return 0;
    throw error;
  }
}

/** Whether the author is not a member above Guest and has no merged merge request in the project. */
export async function isFirstContribution(
  deps: Deps,
  { project, namespace }: Pick<MergeRequestScope, 'project' | 'namespace'>,
  row: Pick<Row, 'id' | 'author_id'>,
): Promise<boolean> {
  const { level } = await projectMembership(deps.db, project, namespace, row.author_id, today(deps.clock));
  if (level > AccessLevel.guest) return false;
  const merged = await deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('author_id', '=', row.author_id)
    .where('state', '=', 'merged')
    .where('project_id', '=', project.id)
    .where('id', '!=', row.id)
    .limit(1)
    .executeTakeFirst();
  return merged === undefined;
}
