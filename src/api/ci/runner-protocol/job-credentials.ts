import { Type } from 'typebox';
import { describeInstanceAbility } from '../../../access/ability-words.ts';
import { ANONYMOUS, type Caller } from '../../../access/caller.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../../deps.ts';
import { bodyParameter, header, parameter } from '../../../http/credential-locations.ts';
import type { CredentialLookup, CredentialMethod, Credentials } from '../../../http/http.credentials.ts';
import type { Access } from '../../../http/http.route.ts';
import { JobTokenExpired, runningJob } from '../../../pipelines/runners/running-job.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { perMinute } from '../../../settings/throttles.ts';

/** Counts a request of the runner of a job. @throws ApiError 429 */
export const limitCalls = (deps: Deps, jobId: number): void =>
  deps.limiter.check('runner_jobs_api', String(jobId), perMinute(deps.settings.now.runner_jobs_endpoints_api_limit));

/** Jobs found by their token, so that the following check needs no further query. */
const jobs = new WeakMap<Caller, CiJob>();

/**
 * Job token of the job in the path, while it runs. It authenticates no user: the runner finishes the job even if its
 * user is blocked. A job past its time limit ends when its runner calls.
 */
const ownToken: CredentialLookup = async (deps, { secret }, request) => {
  const { job_id: id } = request.params as { job_id: string };
  if (!/^\d{1,15}$/.test(id)) throw forbidden();
  try {
    const job = await runningJob(deps, Number(id), secret);
    const credential = { kind: 'job_token', jobId: job.id, projectId: job.project_id } as const;
    const caller: Caller = { ...ANONYMOUS, credential };
    jobs.set(caller, job);
    return caller;
  } catch (error) {
    if (error instanceof JobTokenExpired) {
      await finishJob(deps, error.job.id, { status: 'failed', failureReason: 'job_token_expired' });
    }
    throw error;
  }
};
const description = 'The token of the job named in the path.';
const kinds = [ownToken];
const ways: readonly CredentialMethod[] = [
  { name: 'runningJobToken', location: header('JOB-TOKEN'), description, kinds },
  { name: 'runningJobTokenQuery', location: parameter('token'), description, kinds },
];

/** Credentials of a runner for a job. The protocol has no 401: an invalid token is 403. */
export const RUNNING_JOB_CREDENTIALS: Credentials = { methods: ways, challenge: () => forbidden() };

/** The same for requests with parameters in the body. */
export const REPORT_CREDENTIALS: Credentials = {
  ...RUNNING_JOB_CREDENTIALS,
  methods: [...ways, { name: 'runningJobTokenBody', location: bodyParameter('token'), description, kinds }],
};

/** The runner of the job of `:job_id`. Handlers find the job in their context, as it was read for authentication. */
export const byRunningJob: Access<{ job: CiJob }> = {
  description: describeInstanceAbility('run_jobs'),
  ability: 'run_jobs',
  writes: true,
  anonymous: false,
  params: { job_id: Type.Integer() },
  check: async ({ caller }) => {
    const job = jobs.get(caller);
    if (job === undefined) throw forbidden();
    return { job };
  },
};
