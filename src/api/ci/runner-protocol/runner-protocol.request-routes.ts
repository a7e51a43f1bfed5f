import { Type } from 'typebox';
import { forbidden } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { optional, Secret } from '../../../http/http.schema.ts';
import { PENDING_JOBS } from '../../../pipelines/job-kinds.ts';
import { pendingJobsState } from '../../../pipelines/runners/pending-jobs.ts';
import { watchPendingJobs } from '../../../pipelines/runners/watch-pending.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { recordContact } from '../runners/contacts.ts';
import { assignJob } from './assign-job.ts';
import { JobRequest } from './job-response.ts';
import { payloadOf } from './payload.ts';
import { RUNNER_CREDENTIALS, readRunner, runnerForJobs } from './runner-credentials.ts';
import { infoParameter, type RunnerInfo, systemIdParameter, tokenParameter } from './runner-protocol.inputs.ts';

/** Maximum time that a request waits for a job. */
const WAIT_MS = 50_000;
const STATE_HEADER = 'X-GitLab-Last-Update';

type Payload = Awaited<ReturnType<typeof payloadOf>>;

/** Returns the features of a machine, as reported now or before. */
async function featuresOf({ db }: Deps, managerId: number | null, info: RunnerInfo | undefined) {
  if (info?.features !== undefined || managerId === null) return info?.features ?? {};
  const row = await db
    .selectFrom('ci_runner_managers')
    .select('features')
    .where('id', '=', managerId)
    .executeTakeFirst();
  return row === undefined ? {} : parseJson<Record<string, boolean>>(row.features);
}

/** Returns the payload of the next job for a runner. @throws ApiError 409 */
async function nextJob(
  deps: Deps,
  runnerId: number,
  managerId: number | null,
  info: RunnerInfo | undefined,
): Promise<Payload | undefined> {
  const features = await featuresOf(deps, managerId, info);
  for (;;) {
    const runner: CiRunner | undefined = await readRunner(deps, runnerId);
    if (runner === undefined) throw forbidden();
    if (runner.paused === 1) return undefined;
    const started = await assignJob(deps, { runner, managerId, features });
    if (started === undefined) return undefined;
    try {
      return await payloadOf(deps, started, info?.shell);
    } catch (error) {
      deps.log.log('error', 'a job could not be assigned to a runner', { job: started.job.id, error: String(error) });
      await finishJob(deps, started.job.id, { status: 'failed', failureReason: 'scheduler_failure' });
    }
  }
}

/** Job requests of runners. */
export const jobRequestRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/jobs/request',
    operationId: 'requestJob',
    tag: 'runners',
    summary: 'Request a job',
    description:
      '204 with `X-GitLab-Last-Update` if there is none. A request with that value as `last_update` waits until a job may be available.',
    access: runnerForJobs,
    credentials: RUNNER_CREDENTIALS,
    input: Type.Object({
      ...tokenParameter,
      ...systemIdParameter,
      ...infoParameter,
      last_update: Type.Optional(
        Type.String({ description: 'Value of `X-GitLab-Last-Update` from the last response without a job.' }),
      ),
      session: Type.Optional(
        Type.Unsafe<object>({
          ...optional({
            url: Type.String(),
            certificate: Type.String({ description: 'TLS certificate of that address.' }),
            authorization: Secret({ description: 'Authorization for that address.' }),
          }),
          description: 'Terminal server of the runner; ignored.',
        }),
      ),
    }),
    success: { status: 201, schema: JobRequest },
    otherSuccess: {
      status: 204,
      empty: true,
      description: 'No job is available.',
      headers: { [STATE_HEADER]: Type.String({ description: 'Value to send as `last_update`.' }) },
    },
    errors: [409],
    handler: async (c) => {
      const { deps, runner, input, request, reply } = c;
      deps.limiter.check(
        'runner_jobs_request',
        String(runner.id),
        perMinute(deps.settings.now.runner_jobs_request_api_limit),
      );
      const contact = { runner, systemId: input.system_id, machine: input.info, ip: request.ip, requests: true };
      const managerId = await recordContact(deps, contact);
      let state = pendingJobsState(deps);
      const look = () => {
        // Read before looking for a job: changes meanwhile result in another value.
        state = pendingJobsState(deps);
        return nextJob(deps, runner.id, managerId, input.info);
      };
      const waits = runner.paused === 0 && input.last_update === state;
      const job = await (waits ? watchPendingJobs(deps, () => c.waitFor(PENDING_JOBS, WAIT_MS, look)) : look());
      if (job !== undefined) return job;
      reply.code(204).header(STATE_HEADER, state);
      return reply.send();
    },
  }),
];
