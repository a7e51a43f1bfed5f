import { type Static, Type } from 'typebox';
import { whoOnInstance } from '../../../access/ability-words.ts';
import { forbidden } from '../../../core/errors.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.ts';
import type { Deps } from '../../../deps.ts';
import { header, parameter } from '../../../http/credential-places.ts';
import type { Credentials, LookUp } from '../../../http/credentials.ts';
import type { Access } from '../../../http/route.ts';
import { runningJob } from '../../../pipelines/runners/running-job.ts';

const params = { job_id: Type.Integer() };
/** Calls about one job, those that bring pieces of its log not counted. */
const LIMIT = { requests: 200, periodSeconds: 60 };

/** Counts a call of the runner of a job. @throws ApiError 429 */
export const limitCalls = (deps: Deps, jobId: number): void =>
  deps.limiter.check('runner_jobs_api', String(jobId), LIMIT);

/** The token of the job that the address names, while it runs. */
const ownToken: LookUp = async (deps, { secret }, request) => {
  const id = Number((request.params as { job_id: string }).job_id);
  if (!Number.isSafeInteger(id)) throw forbidden();
  const job = await runningJob(deps, id, secret);
  const user = await deps.db.selectFrom('users').selectAll().where('id', '=', job.user_id).executeTakeFirstOrThrow();
  const credential = { kind: 'job_token', jobId: job.id, projectId: job.project_id } as const;
  return { user, admin: false, scopes: null, credential, sudoBy: null };
};
const description = 'The token of the job that the address names.';
const kinds = [ownToken];

/** How a runner says which job it has. Of the protocol's words 401 is none: whoever shows no good token is 403. */
export const RUNNING_JOB_CREDENTIALS: Credentials = {
  ways: [
    { name: 'runningJobToken', place: header('JOB-TOKEN'), description, kinds },
    { name: 'runningJobTokenQuery', place: parameter('token'), description, kinds },
  ],
  refusal: () => forbidden(),
};

/** The runner that has the job of `:job_id`. Handlers find the job in their context. */
export const byRunningJob: Access<{ job: CiJob }> = {
  description: whoOnInstance('run_jobs'),
  ability: 'run_jobs',
  writes: true,
  anonymous: false,
  params,
  check: async ({ deps, caller: { credential }, values }) => {
    if (credential.kind !== 'job_token') throw forbidden();
    const { job_id } = values() as Static<ReturnType<typeof Type.Object<typeof params>>>;
    const job = await deps.db.selectFrom('ci_jobs').selectAll().where('id', '=', job_id).executeTakeFirst();
    if (job === undefined || job.id !== credential.jobId) throw forbidden();
    return { job };
  },
};
