import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ZipFile } from 'yazl';
import { startWithoutRunner } from '../../api/ci/index.ts';
import { ARTIFACT_TYPES, type ArtifactTypeName, REPORT_ARTIFACT_TYPES } from '../../ci/artifact-types.ts';
import type { JobOptions } from '../../ci/pipeline-config.ts';
import { ApiError, conflict, notFound } from '../../core/core.errors.ts';
import { randomText } from '../../core/core.secrets.ts';
import { matchesWildcard } from '../../core/wildcard.ts';
import { parseJson } from '../../db/columns.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { maxArtifactBytes, maxBytesOf } from '../../pipelines/artifacts/pipeline-artifacts.limits.ts';
import { insertArtifact, storeArtifactBytes } from '../../pipelines/artifacts/pipeline-artifacts.store.ts';
import { cancelJob } from '../../pipelines/states/cancel.ts';
import { finishJob } from '../../pipelines/states/finish-job.ts';
import { appendTrace } from '../../pipelines/trace/append.ts';
import { secretsOf } from '../../pipelines/trace/trace.secrets.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { filesOf, type JobOutcome } from './job-outcome.ts';

const pack = promisify(gzip);
/** Bytes of a part of a log. */
const PIECE = 1024 * 1024;

const notWaiting = ({ status }: Pick<CiJob, 'status'>) =>
  conflict(`409 Conflict - the job is ${status}, only pending and running jobs can end`);

const jobOf = ({ db }: Pick<Deps, 'db'>, id: number): Promise<CiJob | undefined> =>
  db.selectFrom('ci_jobs').selectAll().where('id', '=', id).where('kind', '=', 'build').executeTakeFirst();

/**
 * Ends a pending or running job as a runner would: it starts, writes its log, leaves its files and reports its state.
 * @throws ApiError 400 for files that the job cannot leave, 404, 409 in other states, 413
 */
export async function endJobByHand(deps: Deps, jobId: number, outcome: JobOutcome): Promise<void> {
  const found = await jobOf(deps, jobId);
  if (found === undefined) throw notFound('Job');
  const isWaiting = found.status === 'pending';
  if (!isWaiting && found.status !== 'running') throw notWaiting(found);
  const started = isWaiting ? await startWithoutRunner(deps, jobId) : { job: found, token: randomText(20) };
  if (started === undefined) throw notWaiting((await jobOf(deps, jobId)) ?? found);
  if (!(await endStartedJob(deps, started.job, started.token, outcome)))
    throw notWaiting((await jobOf(deps, jobId)) ?? found);
}

/**
 * Ends a running job as its runner would.
 * @param token of the job, which its log does not show
 * @returns false if it does not run any more
 * @throws ApiError 400, 413
 */
export async function endStartedJob(deps: Deps, job: CiJob, token: string, outcome: JobOutcome): Promise<boolean> {
  const { status, log = '', coverage, exit_code: exitCode } = outcome;
  if (!(await writeLog(deps, job, token, Buffer.from(log)))) return false;
  await leaveFiles(deps, job, filesOf(outcome));
  if (status === 'canceled') {
    const canceled = await cancelJob(deps, job.id);
    if (canceled?.status !== 'canceling') return canceled !== null;
  }
  const ended = await finishJob(
    deps,
    job.id,
    status === 'failed'
      ? { status, failureReason: 'script_failure', exitCode: exitCode ?? 1 }
      : { status: 'success', ...(exitCode === undefined ? {} : { exitCode }) },
    {
      transactionHook: async (db) => {
        if (coverage !== undefined)
          await db.updateTable('ci_jobs').set({ coverage }).where('id', '=', job.id).execute();
      },
    },
  );
  return ended !== null;
}

/** @returns false if the job does not run any more */
async function writeLog(deps: Deps, job: CiJob, token: string, log: Buffer): Promise<boolean> {
  const secrets = await secretsOf(deps, job, token);
  for (let at = 0; at < log.length; at += PIECE) {
    const bytes = log.subarray(at, at + PIECE);
    const appended = await appendTrace(deps, job, { start: job.trace_size + at, bytes, debug: false }, secrets);
    if (appended?.stored !== true) return false;
  }
  return true;
}

/** Stores files as the archive of the job, and those that its configuration names as reports too. */
async function leaveFiles(deps: Deps, job: CiJob, files: ReadonlyMap<string, Buffer>): Promise<void> {
  if (files.size === 0) return;
  const max = await maxArtifactBytes(deps, job.project_id);
  await leave(deps, job, 'archive', 'artifacts.zip', zipOf(deps, files), max);
  const reports = await reportsOf(deps, job);
  for (const type of REPORT_ARTIFACT_TYPES) {
    const patterns = reports[type] ?? [];
    const fitting = [...files].filter(([path]) => patterns.some((pattern) => matchesWildcard(pattern, path)));
    if (fitting.length === 0) continue;
    const { format, filename } = ARTIFACT_TYPES[type];
    const contents = fitting.map(([, content]) => content);
    const bytes =
      format === 'zip'
        ? zipOf(deps, new Map(fitting))
        : Readable.from(format === 'gzip' ? await Promise.all(contents.map((content) => pack(content))) : contents);
    await leave(deps, job, type, `${filename ?? type}${format === 'gzip' ? '.gz' : ''}`, bytes, max);
  }
}

async function reportsOf({ db }: Deps, { id }: CiJob): Promise<Readonly<Record<string, string[]>>> {
  const row = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', id).executeTakeFirst();
  return row === undefined ? {} : (parseJson<JobOptions>(row.options).artifacts?.reports ?? {});
}

/** @throws ApiError 400, 413 */
async function leave(
  deps: Deps,
  job: CiJob,
  type: ArtifactTypeName,
  filename: string,
  bytes: Readable,
  max: number,
): Promise<void> {
  const blob = await storeArtifactBytes(deps, bytes, maxBytesOf(type, max));
  const words = { type, format: ARTIFACT_TYPES[type].format, expireIn: undefined, accessibility: undefined };
  try {
    await insertArtifact(deps, job, blob, filename, words, max);
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [blob.sha256]);
    // The job has ended meanwhile.
    if (error instanceof ApiError && error.status === 403) throw conflict(error.message);
    throw error;
  }
}

function zipOf({ clock }: Deps, files: ReadonlyMap<string, Buffer>): Readable {
  const zip = new ZipFile();
  const output = Readable.from(zip.outputStream as AsyncIterable<Buffer>, { objectMode: false });
  zip.on('error', (error) => output.destroy(error));
  for (const [path, content] of files) zip.addBuffer(content, path, { mtime: clock.now(), mode: 0o100_644 });
  zip.end();
  return output;
}
