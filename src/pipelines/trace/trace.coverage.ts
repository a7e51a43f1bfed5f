import { buffer } from 'node:stream/consumers';
import { coverageIn } from '../../ci/ci.coverage.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';

/** A log is read backwards in blocks of this size, since matching blocks the event loop. */
const WINDOW = 128 * 1024;

/** Coverage in percent according to the log of a job; null if there is none, or the job has no pattern. */
export async function coverageOf(
  { blobs }: Pick<Deps, 'blobs'>,
  { coverage_regex: pattern }: Pick<CiJob, 'coverage_regex'>,
  { sha256, size }: StoredBlob,
): Promise<number | null> {
  if (pattern === null) return null;
  let end = size;
  /** End of a line that starts in the previous block. */
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - WINDOW);
    const stream = await blobs.get(sha256, { start, end: end - 1 });
    if (stream === null) return null;
    const part = Buffer.concat([await buffer(stream), rest]);
    const from = start === 0 ? 0 : part.indexOf('\n') + 1;
    const coverage = coverageIn(part.toString('utf8', from).split('\n').toReversed(), pattern);
    if (coverage !== null) return coverage;
    // A line longer than a block is matched in parts.
    rest = from === 0 ? Buffer.alloc(0) : part.subarray(0, from);
    end = start;
  }
  return null;
}
