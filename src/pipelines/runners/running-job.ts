import { timingSafeEqual } from 'node:crypto';
import { tokenEndsAt } from '../../access/job-token-caller.ts';
import { EXECUTING, isOneOf } from '../../ci/states.ts';
import { ApiError, forbidden } from '../../core/core.errors.ts';
import { tokenDigest } from '../../core/core.secrets.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';

/** The token of a job that has exceeded its time limit. */
export class JobTokenExpired extends ApiError {
  readonly job: CiJob;

  constructor(job: CiJob) {
    super(403, '403 Forbidden - Job token has expired', {}, { 'Job-Status': job.status });
    this.job = job;
  }
}

/** Whether a token matches a digest; false for null. */
export function isTokenOf(digest: string | null, token: string): boolean {
  if (digest === null) return false;
  const [input, stored] = [Buffer.from(tokenDigest(token)), Buffer.from(digest)];
  return input.length === stored.length && timingSafeEqual(input, stored);
}

const notProcessing = (status: string) =>
  new ApiError(403, '403 Forbidden - Job is not processing on runner', {}, { 'Job-Status': status });

/** Error for a runner whose job has ended or was deleted during a request. */
export async function isNotRunning(db: Db, jobId: number): Promise<ApiError> {
  const job = await db.selectFrom('ci_jobs').select('status').where('id', '=', jobId).executeTakeFirst();
  return job === undefined ? forbidden() : notProcessing(job.status);
}

/**
 * The job that a runner reports on: a running one, authenticated by its own token.
 * @param token of the header `JOB-TOKEN` or the parameter `token`; empty or undefined for none
 * @throws ApiError 403 in the protocol's words, with the header `Job-Status` if the job has ended; JobTokenExpired if
 *   it has exceeded its time limit
 */
export async function runningJob({ db, clock }: Deps, jobId: number, token: string | undefined): Promise<CiJob> {
  const row = await db
    .selectFrom('ci_jobs')
    .innerJoin('projects', 'projects.id', 'ci_jobs.project_id')
    .selectAll('ci_jobs')
    .select('projects.pending_delete')
    .where('ci_jobs.id', '=', jobId)
    .executeTakeFirst();
  if (row === undefined || !isTokenOf(row.token_digest, token ?? '')) throw forbidden();
  const { pending_delete, ...job } = row;
  if (pending_delete === 1) throw forbidden('Project has been deleted!');
  if (job.erased_at !== null) throw forbidden('Job has been erased!');
  if (!isOneOf(EXECUTING, job.status)) throw notProcessing(job.status);
  if (clock.now().getTime() >= tokenEndsAt(job)) throw new JobTokenExpired(job);
  return job;
}
