import { buffer } from 'node:stream/consumers';
import { coverageIn } from '../../ci/ci.coverage.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';

/** A log is read from its end in parts of so many bytes: matching one keeps everybody else waiting. */
const WINDOW = 128 * 1024;

/** The coverage that the log of a job tells, in percent; null where it tells none, or the job asks for none. */
export async function coverageOf(
  { blobs }: Pick<Deps, 'blobs'>,
  { coverage_regex: pattern }: Pick<CiJob, 'coverage_regex'>,
  { sha256, size }: StoredBlob,
): Promise<number | null> {
  if (pattern === null) return null;
  let end = size;
  /** The end of a line that began in the part before. */
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - WINDOW);
    const stream = await blobs.get(sha256, { start, end: end - 1 });
    if (stream === null) return null;
    const part = Buffer.concat([await buffer(stream), rest]);
    const from = start === 0 ? 0 : part.indexOf('\n') + 1;
    const found = coverageIn(part.toString('utf8', from).split('\n').toReversed(), pattern);
    if (found !== null) return found;
    // A line that fills a whole part is looked at in parts, too.
    rest = from === 0 ? Buffer.alloc(0) : part.subarray(0, from);
    end = start;
  }
  return null;
}
