import { Readable } from 'node:stream';
import { COMPLETE, EXECUTING, isOneOf } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { MAX_TRACE } from './append.ts';
import { coverageOf } from './trace.coverage.ts';
import { evictSecrets } from './trace.secrets.ts';

/** File name of the log among the artifacts of a job. */
const FILENAME = 'job.log';

const over: readonly string[] = COMPLETE;
const atWork: readonly string[] = EXECUTING;

/** Archives the logs of finished jobs as files, and extracts their coverage. */
export function registerTraceArchive(deps: Deps): void {
  deps.events.subscribe({
    name: 'archive-trace',
    types: ['job.updated'],
    lane: 'ci',
    wants: ({ payload: { status, old_status } }) => over.includes(status) && atWork.includes(old_status ?? ''),
    handle: ({ payload }) => archiveTrace(deps, payload.job_id),
  });
}

/** Streams the whole log, including bytes held back: no chunk follows that could complete a secret. */
async function* piecesOf(db: Db, jobId: number): AsyncGenerator<Buffer, void, void> {
  let at = -1;
  for (;;) {
    const piece = await db
      .selectFrom('ci_job_traces')
      .select(['start', 'data'])
      .where('job_id', '=', jobId)
      .where('start', '>', at)
      .orderBy('start')
      .limit(1)
      .executeTakeFirst();
    if (piece === undefined) return;
    yield Buffer.from(piece.data, 'base64');
    at = piece.start;
  }
}

/** Archives the log of a finished job. Does nothing if that is done, or if there is none. */
async function archiveTrace(deps: Deps, jobId: number): Promise<void> {
  const { db, blobs } = deps;
  evictSecrets(deps, jobId);
  const job = await db.selectFrom('ci_jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
  if (job === undefined || !isOneOf(COMPLETE, job.status)) return;
  const any = await db
    .selectFrom('ci_job_traces')
    .select('start')
    .where('job_id', '=', jobId)
    .limit(1)
    .executeTakeFirst();
  if (any === undefined) return;
  const blob = await blobs.put(Readable.from(piecesOf(db, jobId), { objectMode: false }), { maxBytes: MAX_TRACE });
  // One that it has by other means than its log stays.
  const coverage =
    job.coverage ??
    (await coverageOf(deps, { coverage_regex: job.coverage_regex ?? (await patternOf(db, job)) }, blob));
  await db.transaction().execute((db) => enter(deps, db, job, blob, coverage));
}

/** Coverage pattern of the project, for jobs without their own. */
async function patternOf(db: Db, { project_id }: CiJob): Promise<string | null> {
  const project = await db.selectFrom('projects').select('settings').where('id', '=', project_id).executeTakeFirst();
  return (
    (project && parseJson<{ build_coverage_regex?: string | null }>(project.settings).build_coverage_regex) || null
  );
}

async function enter(
  deps: Deps,
  db: Db,
  job: CiJob,
  { sha256, size }: { sha256: string; size: number },
  coverage: number | null,
): Promise<void> {
  const updatedJob = await db
    .updateTable('ci_jobs')
    .set({ updated_at: timestamp(deps.clock), ...(coverage === null ? {} : { coverage }) })
    .where('id', '=', job.id)
    .where('erased_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  const { numDeletedRows } = await db.deleteFrom('ci_job_traces').where('job_id', '=', job.id).executeTakeFirst();
  // It was erased meanwhile, or another run was faster.
  if (updatedJob === undefined || numDeletedRows === 0n) return;
  await db
    .insertInto('ci_job_artifacts')
    .values({
      job_id: job.id,
      project_id: job.project_id,
      file_type: 'trace',
      file_format: 'raw',
      filename: FILENAME,
      size,
      sha256,
      accessibility: 'all',
      expire_at: null,
      created_at: timestamp(deps.clock),
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'file_type']).doNothing())
    .execute();
  const archived = { job_id: job.id, pipeline_id: job.pipeline_id, project_id: job.project_id };
  await deps.events.record(db, 'job.trace_archived', archived, { projectId: job.project_id, actorId: job.user_id });
}
