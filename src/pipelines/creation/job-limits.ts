import { ALIVE } from '../../ci/states.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { orUnlimited, planLimits } from '../../settings/settings.plan-limits.ts';

const SPLIT = 'https://docs.gitlab.com/ci/pipelines/downstream_pipelines/#parent-child-pipelines';

/** Too many jobs in one pipeline, or in the active pipelines of a project. */
export class TooManyJobs extends Error {
  override name = 'TooManyJobs';
  readonly reason: 'size_limit_exceeded' | 'job_activity_limit_exceeded';

  constructor(reason: TooManyJobs['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** @throws TooManyJobs if a pipeline may not have this many jobs */
export async function checkSize(deps: Deps, jobs: number): Promise<void> {
  const { ci_pipeline_size: limit } = await planLimits(deps);
  if (jobs <= orUnlimited(limit)) return;
  throw new TooManyJobs(
    'size_limit_exceeded',
    `The number of jobs has exceeded the limit of ${limit}. Try splitting the configuration with parent-child-pipelines ${SPLIT}`,
  );
}

/**
 * Checks whether a project may have this many more jobs in active pipelines.
 * @param db of the transaction that inserts them, after it has got the pipeline's number: numbers are assigned to one
 *   transaction at a time
 * @throws TooManyJobs
 */
export async function checkActiveJobs({ recent }: Deps, db: Db, projectId: number, jobs: number): Promise<void> {
  const { ci_active_jobs: limit } = await planLimits({ db, recent });
  if (limit === 0) return;
  const { total } = await db
    .selectFrom('pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.pipeline_id', 'pipelines.id')
    .where('pipelines.project_id', '=', projectId)
    .where('pipelines.status', 'in', ALIVE)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (Number(total) + jobs <= limit) return;
  throw new TooManyJobs(
    'job_activity_limit_exceeded',
    `Project exceeded the allowed number of jobs in active pipelines (${limit}). Retry later.`,
  );
}
