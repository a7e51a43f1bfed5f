import { buffer } from 'node:stream/consumers';
import { GzipError, gzipMembers } from '../../ci/junit/gzip-members.ts';
import { JunitError, parseJunit, type TestCase } from '../../ci/junit/junit.parse.ts';
import { Busy } from '../../core/busy.ts';
import { BoundedCache } from '../../core/cache/index.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { BlobStore, StoredBlob } from '../../storage/blob-store.ts';

/** Content of a report, or the reason why it cannot be read. */
export interface JunitReport {
  cases: readonly TestCase[];
  error: string | null;
}

/** Maximum decompressed size of a report in bytes. */
const MAX_BYTES = 30 * 1024 * 1024;
const failed = (reason: string): JunitReport => ({ cases: [], error: `JUnit XML parsing failed: ${reason}` });

/** Approximate memory of a test case in bytes. */
export const memoryOf = ({ name, classname, file, system_output }: TestCase): number =>
  250 + (name?.length ?? 0) + (classname?.length ?? 0) + (file?.length ?? 0) + (system_output?.length ?? 0);

const sizeOf = ({ cases }: JunitReport): number => cases.reduce((sum, each) => sum + memoryOf(each), 500);

/** Reads JUnit reports from the blob store, with a cache by content. */
export class JunitReports {
  readonly #blobs: BlobStore;
  readonly #reports: BoundedCache<string, JunitReport>;
  /** Bounds the number of concurrent reads, since each takes memory. */
  readonly #slots = new FairSlots({
    total: 2,
    perKey: 1,
    maxWaiting: 100,
    maxWaitingPerKey: 10,
    maxWaitMs: 60_000,
    refuse: (whose) =>
      whose === 'caller'
        ? new Busy(429, 'You have requested too many test reports at once. Wait for some to finish, then try again.', 2)
        : new Busy(503, '503 Service Unavailable - too many test reports are being read', 2),
  });

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
    this.#reports = new BoundedCache('test_reports', sizeOf);
  }

  /** Test cases of a compressed report. */
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
    if (stream === null) return failed('the file is missing');
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
