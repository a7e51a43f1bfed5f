import { bodyParameter } from '../../../http/credential-places.ts';
import type { Credentials, LookUp, Way } from '../../../http/credentials.ts';
import { finishJob } from '../../../pipelines/finish-job.ts';
import { JobTokenExpired } from '../../../pipelines/running-job.ts';
import { RUNNING_JOB_CREDENTIALS } from '../artifacts/job-access.ts';

/** A job that has had more than its time ends when its runner speaks of it. */
const ending =
  (lookUp: LookUp): LookUp =>
  async (deps, sent, request) => {
    try {
      return await lookUp(deps, sent, request);
    } catch (error) {
      if (error instanceof JobTokenExpired) {
        await finishJob(deps, error.job.id, { status: 'failed', failureReason: 'job_token_expired' });
      }
      throw error;
    }
  };

const ways: readonly Way[] = RUNNING_JOB_CREDENTIALS.ways.map((way) => ({ ...way, kinds: way.kinds.map(ending) }));
const [{ description, kinds }] = ways as [Way];

/** How a runner that sends a log says which job it has. */
export const TRACE_CREDENTIALS: Credentials = { ...RUNNING_JOB_CREDENTIALS, ways };

/** The same where the body holds parameters. */
export const REPORT_CREDENTIALS: Credentials = {
  ...RUNNING_JOB_CREDENTIALS,
  ways: [...ways, { name: 'runningJobTokenBody', place: bodyParameter('token'), description, kinds }],
};
