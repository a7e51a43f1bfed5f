import { ALIVE } from '../../ci/states.ts';
import type { Deps } from '../../deps.ts';
import { orNone, planLimits } from '../../settings/plan-limits.ts';

const SPLIT = 'https://docs.gitlab.com/ci/pipelines/downstream_pipelines/#parent-child-pipelines';

/** Why a pipeline has more jobs than it may have, as its reason and in words. */
export interface JobsRefusal {
  reason: 'size_limit_exceeded' | 'job_activity_limit_exceeded';
  text: string;
}

/**
 * Whether so many jobs are too many for one pipeline, or for the running pipelines of its project together.
 * @returns null when they are not
 */
export async function jobsRefusal(deps: Deps, projectId: number, jobs: number): Promise<JobsRefusal | null> {
  const limits = await planLimits(deps);
  if (jobs > orNone(limits.ci_pipeline_size)) {
    const text = `The number of jobs has exceeded the limit of ${limits.ci_pipeline_size}. Try splitting the configuration with parent-child-pipelines ${SPLIT}`;
    return { reason: 'size_limit_exceeded', text };
  }
  if (limits.ci_active_jobs === 0) return null;
  const { total } = await deps.db
    .selectFrom('pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.pipeline_id', 'pipelines.id')
    .where('pipelines.project_id', '=', projectId)
    .where('pipelines.status', 'in', ALIVE)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (Number(total) + jobs <= limits.ci_active_jobs) return null;
  const text = `Project exceeded the allowed number of jobs in active pipelines (${limits.ci_active_jobs}). Retry later.`;
  return { reason: 'job_activity_limit_exceeded', text };
}
