import { buffer } from 'node:stream/consumers';
import { Type } from 'typebox';
import { FAILURE_REASONS, type FailureReason } from '../../../ci/failure-reasons.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError, badRequest, forbidden } from '../../../core/core.errors.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../../deps.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { optional, Secret } from '../../../http/http.schema.ts';
import { isNotRunning } from '../../../pipelines/runners/running-job.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { appendTrace, MAX_TRACE } from '../../../pipelines/trace/append.ts';
import { secretsOf } from '../../../pipelines/trace/trace.secrets.ts';
import { traceInterval } from '../../../pipelines/trace/trace.watchers.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { recordMachine } from '../runners/contacts.ts';
import { byRunningJob, limitCalls, REPORT_CREDENTIALS, RUNNING_JOB_CREDENTIALS } from './job-credentials.ts';
import { infoParameter } from './runner-protocol.inputs.ts';

/** Maximum bytes of one part of a log; runners send at most a megabyte. */
const MAX_PIECE = 4 * 1024 * 1024;
/** Minimum interval between database writes for a job that only reports that it is running. */
const TOUCH_MS = 15 * 60_000;

const INTERVAL = 'X-GitLab-Trace-Update-Interval';
const headers = {
  'Job-Status': Type.String({ description: 'State of the job. The runner must end a canceled job.' }),
  [INTERVAL]: Type.Integer({ description: 'Seconds after which the runner sends the next part of the log.' }),
};
const range = { Range: Type.String({ description: 'Range of the log that is stored: `0-` and the number of bytes.' }) };

/** Sets the response headers with the state of a job. */
function setJobHeaders({ deps, reply }: BaseContext, job: Pick<CiJob, 'id' | 'status'>): void {
  reply.header('Job-Status', job.status).header(INTERVAL, String(traceInterval(deps, job.id)));
}

const reasonOf = (failureReason: string | undefined): FailureReason =>
  FAILURE_REASONS.find((reason) => reason === failureReason) ?? 'unknown_failure';

/** Records that the runner of a job is alive. @returns the current job */
async function touch({ db, clock }: Deps, job: CiJob): Promise<CiJob> {
  if (clock.now().getTime() - Date.parse(job.updated_at) > TOUCH_MS) {
    await db
      .updateTable('ci_jobs')
      .set({ updated_at: timestamp(clock) })
      .where('id', '=', job.id)
      .execute();
  }
  return job;
}

interface Report {
  state: string;
  failure_reason?: string | undefined;
  exit_code?: number | undefined;
}

/** Applies the state that a runner reports. @throws ApiError 400, 403 */
async function report(deps: Deps, job: CiJob, { state, failure_reason, exit_code }: Report): Promise<CiJob> {
  if (state === 'running') return touch(deps, job);
  if (state !== 'success' && state !== 'failed') throw badRequest('Unknown job state');
  const ended = await finishJob(deps, job.id, {
    status: state,
    ...(state === 'failed' ? { failureReason: reasonOf(failure_reason) } : {}),
    ...(exit_code === undefined ? {} : { exitCode: exit_code }),
  });
  if (ended === null) throw await isNotRunning(deps.db, job.id);
  return ended;
}

/** Returns the offset of a part of a log. @throws ApiError 400 */
function startOf(contentRange: string | undefined): number {
  if (contentRange === undefined || contentRange === '') throw new ApiError(400, '400 Missing header Content-Range');
  const start = /^\s*(?:bytes\s+)?(\d{1,15})-/.exec(contentRange)?.[1];
  if (start === undefined) throw badRequest('Content-Range is invalid');
  return Number(start);
}

const notThere = (size: number) => new ApiError(416, '416 Range Not Satisfiable', {}, { Range: `0-${size}` });

async function tooLong(deps: Deps, job: CiJob): Promise<ApiError> {
  await finishJob(deps, job.id, { status: 'failed', failureReason: 'trace_size_exceeded' });
  return new ApiError(403, '403 Forbidden - Job log is too large', {}, { 'Job-Status': 'failed' });
}

/** Reports of runners about their jobs. */
export const jobReportRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/jobs/:job_id',
    operationId: 'reportJob',
    tag: 'runners',
    summary: 'Update the state of a job',
    access: byRunningJob,
    credentials: REPORT_CREDENTIALS,
    input: Type.Object({
      state: Type.String({ description: '`running`, `success` or `failed`.', examples: ['success'] }),
      ...optional({
        token: Secret({ description: 'Job token, unless a header contains it.' }),
        failure_reason: Type.String({ description: 'Reason for the failure.', examples: ['script_failure'] }),
        exit_code: Type.Integer({ description: 'Exit code of the script.', examples: [1] }),
        checksum: Type.String({ description: 'Checksum of the log; ignored.', examples: ['crc32:984ba1b5'] }),
        output: Type.Unsafe<object>({ type: 'object', description: 'Size and checksum of the log; ignored.' }),
        runtime_environment_key: Secret({ description: 'Information about the runner; ignored.' }),
      }).properties,
      ...infoParameter,
    }),
    success: {
      status: 200,
      schema: Type.String({ description: 'The state of the job as text.', examples: ['200'] }),
      headers,
    },
    handler: async (c) => {
      const { deps, job, input } = c;
      limitCalls(deps, job.id);
      await recordMachine(deps, job.runner_id, job.runner_manager_id);
      setJobHeaders(c, await report(deps, job, input));
      return '200';
    },
  }),
  route({
    method: 'PATCH',
    path: '/jobs/:job_id/trace',
    operationId: 'appendJobTrace',
    tag: 'runners',
    summary: 'Append a part to the log of a job',
    description:
      'The header `Content-Range` gives the offset, which must equal the length of the stored log; otherwise the response is 416, and its header `Range` has the stored length. The part is stored before the response. The job token and masked variables are hidden, even across part boundaries.',
    access: byRunningJob,
    credentials: RUNNING_JOB_CREDENTIALS,
    input: Type.Object({
      debug_trace: Type.Optional(
        Type.Boolean({
          description:
            'Whether the log may contain all variables of the job; such logs are limited to Developers and higher roles.',
        }),
      ),
    }),
    body: {
      contentType: 'text/plain',
      description: 'The bytes of the part.',
      limit: () => MAX_PIECE,
    },
    success: { status: 202, empty: true, headers: { ...headers, ...range } },
    errors: [416],
    handler: async (c) => {
      const { deps, job, input, request } = c;
      deps.limiter.check(
        'runner_jobs_patch_trace',
        String(job.id),
        perMinute(deps.settings.now.runner_jobs_patch_trace_api_limit),
      );
      const start = startOf(request.headers['content-range']);
      if (start !== job.trace_size) throw notThere(job.trace_size);
      await c.hold(Number(request.headers['content-length'] ?? MAX_PIECE));
      const bytes = await buffer(c.bytes);
      if (start + bytes.length > MAX_TRACE) throw await tooLong(deps, job);
      await recordMachine(deps, job.runner_id, job.runner_manager_id);
      const secrets = await secretsOf(deps, job, tokenOf(request));
      const appended = await appendTrace(deps, job, { start, bytes, debug: input.debug_trace === true }, secrets);
      if (appended === null) throw await isNotRunning(deps.db, job.id);
      if (!appended.stored) throw notThere(appended.size);
      setJobHeaders(c, job);
      c.reply.header('Range', `0-${appended.size}`);
    },
  }),
];

/** Returns the job token of the request, so that it can be hidden in the log. @throws ApiError 403 */
function tokenOf({ headers, query }: BaseContext['request']): string {
  const token = headers['job-token'] ?? (query as Record<string, unknown>).token;
  if (typeof token !== 'string') throw forbidden();
  return token;
}
