import { Readable } from 'node:stream';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';

/** Number of bytes of a live log read at once, plus the rest of the last chunk, which has at most 1 MiB. */
const WINDOW = 1024 * 1024;
const MAX_PIECES = 256;

/** Memory in bytes for reading a log. */
export const LOG_MEMORY = 8 * 1024 * 1024;

/**
 * Reads the log of a job: everything sent so far, or the whole log of a finished job. Empty if there is none. A log
 * that is archived meanwhile is continued at the same offset.
 */
export async function readLog(deps: Deps, job: Pick<CiJob, 'id'>): Promise<Readable> {
  return (await archivedLog(deps, job.id, 0)) ?? Readable.from(liveLog(deps, job.id), { objectMode: false });
}

async function archivedLog(deps: Deps, jobId: number, start: number): Promise<Readable | null> {
  const file = await deps.db
    .selectFrom('ci_job_artifacts')
    .select(['sha256', 'size'])
    .where('job_id', '=', jobId)
    .where('file_type', '=', 'trace')
    .executeTakeFirst();
  if (file === undefined || start >= file.size) return null;
  return deps.blobs.get(file.sha256, { start, end: file.size - 1 });
}

async function* liveLog(deps: Deps, jobId: number): AsyncGenerator<Buffer, void, void> {
  let at = 0;
  for (;;) {
    const pieces = await deps.db
      .selectFrom('ci_job_traces')
      .select(['start', 'size', 'data'])
      .where('job_id', '=', jobId)
      .where('held', '=', 0)
      .where('start', '>=', at)
      .where('start', '<', at + WINDOW)
      .orderBy('start')
      .limit(MAX_PIECES)
      .execute();
    for (const { start, size, data } of pieces) {
      if (start !== at) return;
      yield Buffer.from(data, 'base64');
      at += size;
    }
    if (pieces.length === 0) break;
  }
  const rest = await archivedLog(deps, jobId, at);
  if (rest !== null) yield* rest;
}
