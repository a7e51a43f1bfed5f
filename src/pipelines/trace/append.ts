import { EXECUTING } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { bit } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { maskSecrets, type SecretBytes } from './trace.mask.ts';

/** Maximum size of a job log in bytes. */
export const MAX_TRACE = 100 * 1024 * 1024;
/** Maximum size of a row in bytes, since logs are read a few rows at a time. */
const MAX_ROW = 1024 * 1024;

export interface TraceChunk {
  /** Offset of its first byte in the log. */
  start: number;
  bytes: Buffer;
  /** Whether debug tracing is enabled, which prints all variables. */
  debug: boolean;
}

/** Result for a chunk: stored, not contiguous, or null if the job has ended. */
export type Appended = { stored: true; size: number } | { stored: false; size: number } | null;

/**
 * Appends a chunk to the log of a job and masks secrets, including those split between chunks. Durable when it fulfils.
 * @returns with the new size of the log; null if the job has ended
 */
export function appendTrace(
  deps: Deps,
  job: Pick<CiJob, 'id' | 'token_digest'>,
  { start, bytes, debug }: TraceChunk,
  secrets: SecretBytes,
): Promise<Appended> {
  return deps.db.transaction().execute(async (db) => {
    const size = start + bytes.length;
    const taken = await db
      .updateTable('ci_jobs')
      .set({ trace_size: size, updated_at: timestamp(deps.clock), ...(debug ? { debug_trace: bit(true) } : {}) })
      .where('id', '=', job.id)
      .where('trace_size', '=', start)
      .where('token_digest', '=', job.token_digest)
      .where('status', 'in', EXECUTING)
      .returning('id')
      .executeTakeFirst();
    if (taken === undefined) return refusal(db, job);
    const held = await takeHeld(db, job.id);
    const whole = held === undefined ? Buffer.from(bytes) : Buffer.concat([held, bytes]);
    await insert(db, job.id, size - whole.length, whole, maskSecrets(secrets, whole));
    return { stored: true, size };
  });
}

async function refusal(db: Db, job: Pick<CiJob, 'id' | 'token_digest'>): Promise<Appended> {
  const now = await db
    .selectFrom('ci_jobs')
    .select('trace_size')
    .where('id', '=', job.id)
    .where('token_digest', '=', job.token_digest)
    .where('status', 'in', EXECUTING)
    .executeTakeFirst();
  return now === undefined ? null : { stored: false, size: now.trace_size };
}

async function takeHeld(db: Db, jobId: number): Promise<Buffer | undefined> {
  const last = await db
    .selectFrom('ci_job_traces')
    .select(['start', 'held'])
    .where('job_id', '=', jobId)
    .orderBy('start', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last?.held !== 1) return undefined;
  const { data } = await db
    .deleteFrom('ci_job_traces')
    .where('job_id', '=', jobId)
    .where('start', '=', last.start)
    .returning('data')
    .executeTakeFirstOrThrow();
  return Buffer.from(data, 'base64');
}

/** @param safe number of bytes that may be shown; the rest is held back */
async function insert(db: Db, job_id: number, start: number, whole: Buffer, safe: number): Promise<void> {
  const rows = [];
  for (let at = 0; at < safe; at += MAX_ROW) rows.push({ at, end: Math.min(at + MAX_ROW, safe), held: bit(false) });
  if (safe < whole.length) rows.push({ at: safe, end: whole.length, held: bit(true) });
  if (rows.length === 0) return;
  await db
    .insertInto('ci_job_traces')
    .values(
      rows.map(({ at, end, held }) => ({
        job_id,
        start: start + at,
        size: end - at,
        data: whole.toString('base64', at, end),
        held,
      })),
    )
    .execute();
}
