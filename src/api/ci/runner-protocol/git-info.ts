import type { Variable } from '../../../ci/variables/variable.ts';
import { parseJson } from '../../../db/columns.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { pipelineRef } from '../../../pipelines/creation/pipeline-ref.ts';
import { httpCloneAddress } from '../../../settings/clone-address.ts';

const DEFAULT_DEPTH = 20;

interface GitSettings {
  ci_default_git_depth?: number | null;
  repository_object_format?: string;
}

/** Repository URL and refspecs for a job. */
export function gitInfoOf(
  deps: Deps,
  { job, pipeline, project }: { job: CiJob; pipeline: Pipeline; project: Project },
  { token, variables, hasPipelineRef }: { token: string; variables: readonly Variable[]; hasPipelineRef: boolean },
) {
  const settings = parseJson<GitSettings>(project.settings);
  const depth = depthOf(settings, variables);
  const address = new URL(httpCloneAddress(deps, project.full_path));
  address.username = 'gitlab-ci-token';
  address.password = token;
  return {
    repo_url: address.href,
    ref: job.ref,
    sha: job.sha,
    before_sha: pipeline.before_sha ?? '0'.repeat(job.sha.length),
    ref_type: job.tag === 1 ? 'tag' : 'branch',
    refspecs: [
      ...(hasPipelineRef ? [`+${pipelineRef(pipeline.id)}:${pipelineRef(pipeline.id)}`] : []),
      ...(pipeline.merge_request_id !== null ? [] : refspecs(job, depth)),
    ],
    depth,
    repo_object_format: settings.repository_object_format ?? 'sha1',
    protected: job.protected === 1,
  };
}

/** Number of commits to fetch; 0 for all. */
function depthOf({ ci_default_git_depth }: GitSettings, variables: readonly Variable[]): number {
  const value = variables.find(({ key }) => key === 'GIT_DEPTH')?.value;
  if (value !== undefined && /^\d{1,9}$/.test(value.trim())) return Number(value);
  return ci_default_git_depth === undefined ? DEFAULT_DEPTH : (ci_default_git_depth ?? 0);
}

function refspecs({ ref, tag }: CiJob, depth: number): string[] {
  if (depth === 0) return ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  return [tag === 1 ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`];
}
