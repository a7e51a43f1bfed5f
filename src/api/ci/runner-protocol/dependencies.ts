import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import type { CrossNeed } from '../../../ci/pipeline-config.ts';
import { groupName } from '../../../ci/slugs.ts';
import { expandText } from '../../../ci/variables/expand.ts';
import { type Variable, variableValues } from '../../../ci/variables/variable.ts';
import { pluck } from '../../../core/pluck.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../../deps.ts';
import { lastSuccessful } from '../../../pipelines/artifacts/by-ref.ts';
import type { StartedJob } from './job-context.ts';

export interface Dependency {
  id: number;
  name: string;
  token: string;
  artifacts_file?: { filename: string; size: number };
}

/** Returns the jobs whose artifacts a job downloads, each with its archive if there is one. */
export async function dependenciesFor(
  deps: Deps,
  started: StartedJob,
  variables: readonly Variable[],
): Promise<Dependency[]> {
  const others: CiJob[] = [];
  // At most five, limited by the configuration.
  for (const need of started.options.crossNeeds) {
    if (need.artifacts) others.push(...(await elsewhere(deps, started, need, variables)));
  }
  const jobs = [...started.dependencies, ...others];
  if (jobs.length === 0) return [];
  const now = deps.clock.now().toISOString();
  const archives = await deps.db
    .selectFrom('ci_job_artifacts')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_job_artifacts.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_jobs.pipeline_id')
    .select(['job_id', 'filename', 'size'])
    .where('job_id', 'in', pluck(jobs, 'id'))
    .where('file_type', '=', 'archive')
    .where((eb) => eb.or([eb('expire_at', 'is', null), eb('expire_at', '>', now), eb('pipelines.locked', '=', 1)]))
    .execute();
  const files = new Map(archives.map(({ job_id, filename, size }) => [job_id, { filename, size }]));
  const { token } = started;
  return jobs.map(({ id, name }) => {
    const file = files.get(id);
    return { id, name, token, ...(file === undefined ? {} : { artifacts_file: file }) };
  });
}

/** Returns jobs of another pipeline of the same hierarchy, or of the last pipeline of a ref in another project. */
async function elsewhere(
  deps: Deps,
  started: StartedJob,
  need: CrossNeed,
  variables: readonly Variable[],
): Promise<CiJob[]> {
  const values = variableValues(variables);
  const expanded = (text: string) => expandText(text, values);
  const pipelineId =
    need.pipeline !== null
      ? await relative(deps, started, expanded(need.pipeline))
      : await foreign(deps, started, need, expanded);
  if (pipelineId === null) return [];
  const name = expanded(need.job);
  const jobs = await deps.db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('kind', '=', 'build')
    .where('retried', '=', 0)
    .where('status', '=', 'success')
    .orderBy('id')
    .execute();
  return jobs.filter((job) => job.name === name || groupName(job.name) === name);
}

/** Maximum depth of a pipeline hierarchy. */
const MAX_DEPTH = 10;

/** Returns the id of an ancestor pipeline; null for any other pipeline. */
async function relative({ db }: Deps, { pipeline }: StartedJob, text: string): Promise<number | null> {
  if (!/^\d{1,15}$/.test(text)) return null;
  const pipelineId = Number(text);
  let { parent_id } = pipeline;
  for (let depth = 0; depth < MAX_DEPTH && parent_id !== null; depth += 1) {
    if (parent_id === pipelineId) return pipelineId;
    const above = await db.selectFrom('pipelines').select('parent_id').where('id', '=', parent_id).executeTakeFirst();
    parent_id = above?.parent_id ?? null;
  }
  return null;
}

/**
 * Returns the last successful pipeline of a ref, branch before tag, in a project whose jobs the user of the job may
 * read.
 */
async function foreign(
  deps: Deps,
  { job }: StartedJob,
  { project, ref }: CrossNeed,
  expanded: (text: string) => string,
): Promise<number | null> {
  const target = project === null ? undefined : await findProject(deps, expanded(project));
  const user = await deps.db.selectFrom('users').selectAll().where('id', '=', job.user_id).executeTakeFirst();
  if (target === undefined || user === undefined || ref === null) return null;
  const credential = { kind: 'job_token', jobId: job.id, projectId: job.project_id } as const;
  const caller = { user, admin: user.admin === 1, scopes: null, credential, sudoBy: null };
  const permissions = await projectPermissions(deps, caller, target.project, target.namespace);
  if (!permissions.can('read_pipeline')) return null;
  const of = { project_id: target.project.id, ref: expanded(ref) };
  const [ofBranch] = await lastSuccessful(deps.db, { ...of, tag: 0 }, 1);
  const [ofTag] = ofBranch === undefined ? await lastSuccessful(deps.db, { ...of, tag: 1 }, 1) : [];
  return ofBranch ?? ofTag ?? null;
}
