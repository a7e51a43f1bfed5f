import { callerInProject } from '../../../access/caller-in-project.ts';
import { jobCaller } from '../../../access/job-caller.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { retryDelayOf } from '../../../core/retry-later.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { ciSettings } from '../../../pipelines/creation/ci-settings.ts';
import { createPipeline } from '../../../pipelines/creation/pipeline-creation.create.ts';
import type { Creation, PipelineRequest } from '../../../pipelines/creation/pipeline-creation.request.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { refreshMergeRequest, updateMergeRef } from '../../planning/index.ts';

export interface MergeRequestPipelineRequest {
  mergeRequestId: number;
  userId: number;
  /** Only if this is still the head: a later push creates its own pipeline. */
  onlyFor?: string;
  /** Head before a push. */
  beforeSha?: string | null;
  /** Idempotency key: a second request with the same key creates no second pipeline. */
  origin?: string;
  variables?: PipelineRequest['variables'];
  inputs?: PipelineRequest['inputs'];
}

const nothing = (...texts: string[]): Creation => ({ pipeline: null, texts, filtered: texts.length === 0 });

/**
 * Creates a pipeline for a merge request after a push or on request: for the merged result if the project enables that
 * and git can merge, else for the head. For a fork it runs in the fork, or in the project of the merge request if the
 * user may run pipelines there.
 */
export async function createMergeRequestPipeline(
  deps: Deps,
  { mergeRequestId, userId, onlyFor, beforeSha, ...rest }: MergeRequestPipelineRequest,
): Promise<Creation> {
  const row = await refreshMergeRequest(deps, mergeRequestId);
  const { head_sha: head } = row;
  if (row.state !== 'opened' || head === null) return nothing('The merge request is not open');
  if (onlyFor !== undefined && onlyFor !== head) return nothing();
  const runsIn = await placeOf(deps, row, userId);
  if (runsIn === null) return nothing('Insufficient permissions to create a new pipeline');
  const request = {
    ...rest,
    userId,
    projectId: runsIn.project.id,
    source: 'merge_request_event' as const,
    ...(beforeSha === undefined ? {} : { beforeSha }),
  };
  const merged = runsIn.inTarget ? await mergedResult(deps, runsIn.project, row, head) : null;
  if (merged !== null) {
    const { sha, target } = merged;
    return createPipeline(deps, {
      ...request,
      sha,
      ref: `refs/merge-requests/${row.iid}/merge`,
      mergeRequest: { row, eventType: 'merged_result', sourceSha: head, targetSha: target },
    });
  }
  return createPipeline(deps, {
    ...request,
    sha: head,
    ref: runsIn.inTarget ? `refs/merge-requests/${row.iid}/head` : row.source_branch,
    mergeRequest: { row, eventType: 'detached', sourceSha: null, targetSha: null },
  });
}

/** Returns the project to run in; null if the user may run pipelines in neither. */
async function placeOf(
  deps: Deps,
  row: MergeRequest,
  userId: number,
): Promise<{ project: Project; inTarget: boolean } | null> {
  const caller = await jobCaller(deps, userId);
  if (caller === undefined) return null;
  const target = await callerInProject(deps, caller, row.project_id);
  const ofFork = row.source_project_id !== row.project_id;
  const lets = target !== undefined && ciSettings(target.project).ci_allow_fork_pipelines_to_run_in_parent_project;
  if (target?.permissions.can('create_pipeline') && (!ofFork || lets)) {
    return { project: target.project, inTarget: true };
  }
  if (!ofFork || row.source_project_id === null) return null;
  const source = await callerInProject(deps, caller, row.source_project_id);
  return source?.permissions.can('create_pipeline') ? { project: source.project, inTarget: false } : null;
}

/** Returns the merged result; null if the project does not enable that or git cannot merge. */
async function mergedResult(
  deps: Deps,
  project: Project,
  row: MergeRequest,
  head: string,
): Promise<{ sha: string; target: string } | null> {
  if (!ciSettings(project).merge_pipelines_enabled) return null;
  try {
    const sha = await updateMergeRef(deps, project, row);
    const parents = (await repositoryOf(deps, project).objects.commit(sha))?.parents ?? [];
    // If the head moved during the merge, its own push creates the pipeline.
    return parents[1] === head ? { sha, target: parents[0]! } : null;
  } catch (error) {
    if (retryDelayOf(error) !== null) throw error;
    if (error instanceof ApiError || error instanceof GitError) return null;
    throw error;
  }
}
