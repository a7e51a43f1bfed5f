import { type CallerInProject, callerInProject } from '../../access/caller-in-project.ts';
import { jobCaller } from '../../access/job-caller.ts';
import { timestamp } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { isProtectedRef, mayRunOn } from '../pipelines.run-rights.ts';
import type { MergeRequestFacts, PipelineFacts } from '../variables/pipeline-variables.facts.ts';
import type { PipelineRequest, PipelineTarget } from './pipeline-creation.request.ts';
import { resolvePipelineRef } from './ref.ts';

/** Project, ref, commit and user of a new pipeline. */
export interface Subject {
  standing: CallerInProject;
  repo: Repository;
  facts: PipelineFacts;
  /** Ref as shown by the pipeline. */
  ref: string;
}

/** Current user, project, ref and commit; or the refusal. */
export async function subjectOf(deps: Deps, request: PipelineRequest): Promise<Subject | { text: string }> {
  const caller = await jobCaller(deps, request.userId);
  if (caller === undefined) return { text: 'Insufficient permissions to create a new pipeline' };
  const scope = await callerInProject(deps, caller, request.projectId);
  if (scope === undefined) return { text: 'Project is deleted!' };
  const { project, permissions } = scope;
  if (project.builds_access_level === 'disabled') return { text: 'Pipelines are disabled!' };
  if (!permissions.can('create_pipeline')) return { text: 'Insufficient permissions to create a new pipeline' };
  const repo = repositoryOf(deps, project);
  const target = await targetOf(deps, request, scope, repo);
  if ('text' in target) return target;
  const facts: PipelineFacts = {
    ...target,
    project,
    namespace: scope.namespace,
    source: request.source,
    beforeSha: request.beforeSha ?? null,
    createdAt: timestamp(deps.clock),
    scheduleDescription: request.schedule?.description,
    mergeRequest: request.mergeRequest,
    upstream: request.upstream,
  };
  return { standing: scope, repo, facts, ref: request.mergeRequest === undefined ? target.ref : request.ref };
}

async function targetOf(
  deps: Deps,
  request: PipelineRequest,
  scope: CallerInProject,
  repo: Repository,
): Promise<PipelineTarget | { text: string }> {
  const { mergeRequest, sha, target } = request;
  if (target !== undefined) return target;
  if (mergeRequest !== undefined) {
    if (sha === undefined || !(await isCommit(repo, sha))) return { text: 'Commit not found' };
    const refProtected = await isMergeRequestProtected(deps, scope, mergeRequest);
    return { refType: 'merge_request', ref: mergeRequest.row.source_branch, sha, refProtected };
  }
  const pipelineRef = await resolvePipelineRef(repo, request.ref);
  if ('text' in pipelineRef) return pipelineRef;
  if (!(await mayRunOn(deps, scope, pipelineRef.kind, pipelineRef.name))) {
    const text = `You do not have sufficient permission to run a pipeline on '${pipelineRef.name}'. Please select a different branch or contact your administrator for assistance.`;
    return { text };
  }
  if (sha !== undefined && !(await isCommit(repo, sha))) return { text: 'Commit not found' };
  const refProtected = await isProtectedRef(deps, scope.project.id, pipelineRef.kind, pipelineRef.name);
  return { refType: pipelineRef.kind, ref: pipelineRef.name, sha: sha ?? pipelineRef.sha, refProtected };
}

async function isCommit(repo: Repository, sha: string): Promise<boolean> {
  try {
    return (await repo.objects.commit(sha)) !== null;
  } catch (error) {
    if (error instanceof GitError && error.code === 'invalid') return false;
    throw error;
  }
}

/**
 * Whether a merge request pipeline may access protected resources: both branches are protected, and the user may update
 * both.
 */
async function isMergeRequestProtected(
  deps: Deps,
  scope: CallerInProject,
  { row }: MergeRequestFacts,
): Promise<boolean> {
  const { id } = scope.project;
  if (row.source_project_id !== id || row.project_id !== id) return false;
  for (const branch of [row.source_branch, row.target_branch]) {
    if (!(await isProtectedRef(deps, id, 'branch', branch))) return false;
    if (!(await mayRunOn(deps, scope, 'branch', branch))) return false;
  }
  return true;
}
