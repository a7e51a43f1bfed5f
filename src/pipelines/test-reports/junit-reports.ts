import { buffer } from 'node:stream/consumers';
import { GzipError, gzipMembers } from '../../ci/junit/gzip-members.ts';
import { JunitError, parseJunit, type TestCase } from '../../ci/junit/junit.parse.ts';
import { BoundedCache } from '../../core/bounded-cache.ts';
import { Busy } from '../../core/busy.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { BlobStore, StoredBlob } from '../../storage/blob-store.ts';

/** What a report holds, or why it cannot be read. */
export interface JunitReport {
  cases: readonly TestCase[];
  error: string | null;
}

/** Bytes of the files of a report, unpacked. */
const MAX_BYTES = 30 * 1024 * 1024;
const failed = (reason: string): JunitReport => ({ cases: [], error: `JUnit XML parsing failed: ${reason}` });

/** Bytes that a test takes of memory, about. */
export const memoryOf = ({ name, classname, file, system_output }: TestCase): number =>
  250 + (name?.length ?? 0) + (classname?.length ?? 0) + (file?.length ?? 0) + (system_output?.length ?? 0);

const sizeOf = ({ cases }: JunitReport): number => cases.reduce((sum, each) => sum + memoryOf(each), 500);

/** Reads JUnit reports in the blob store; the last ones are kept by their content. */
export class JunitReports {
  readonly #blobs: BlobStore;
  readonly #reports: BoundedCache<string, JunitReport>;
  /** Few are read at once: each takes memory while it is read. */
  readonly #slots = new FairSlots({
    total: 2,
    perKey: 1,
    maxWaiting: 100,
    maxWaitingPerKey: 10,
    maxWaitMs: 60_000,
    refuse: (whose) =>
      whose === 'caller'
        ? new Busy(429, 'You have asked for too many test reports at once. Wait for some, then try again.', 2)
        : new Busy(503, '503 Service Unavailable - too many test reports are being read', 2),
  });

  /** @param maxBytes of memory that reports may take */
  constructor(blobs: BlobStore, maxBytes: number) {
    this.#blobs = blobs;
    this.#reports = new BoundedCache(maxBytes, sizeOf, { maxEntryBytes: Math.ceil(maxBytes / 4), isCostly: true });
  }

  /** The tests of a packed report. */
  async read(blob: StoredBlob): Promise<JunitReport> {
    const known = this.#reports.get(blob.sha256);
    if (known !== undefined) return known;
    const { caller, signal } = currentScope();
    const leave = await this.#slots.take(caller, { signal });
    try {
      const report = await this.#parse(blob);
      this.#reports.set(blob.sha256, report);
      return report;
    } finally {
      leave();
    }
  }

  async #parse({ sha256, size }: StoredBlob): Promise<JunitReport> {
    if (size > MAX_BYTES) return failed('too large');
    const stream = await this.#blobs.get(sha256);
    if (stream === null) return failed('it is gone');
    const cases: TestCase[] = [];
    try {
      for await (const file of gzipMembers(await buffer(stream), MAX_BYTES)) await parseJunit(file, cases);
    } catch (error) {
      if (error instanceof GzipError || error instanceof JunitError) return failed(error.message);
      throw error;
    }
    return { cases, error: null };
  }
}
