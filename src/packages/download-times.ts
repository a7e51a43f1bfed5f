import { sql } from 'kysely';
import type { Logger } from '../core/logger.ts';
import type { Db } from '../db/db.schema.ts';

/** How long times are kept in memory, because a commit for each download would invalidate caches. */
const FLUSH_MS = 60_000;
/** Number of packages from which on times are written immediately. */
const FLUSH_SIZE = 5_000;
/** Maximum number of packages if writing fails; the least recent downloads are dropped. */
const MAX_PENDING = 10_000;
const BATCH_SIZE = 500;

/** Download times of packages that are not written to the database yet. */
export class DownloadTimes {
  readonly #db: Db;
  readonly #log: Logger;
  /** By package id, the most recent download last. */
  readonly #times = new Map<number, string>();
  #timer: NodeJS.Timeout | undefined;
  /** The write in progress. */
  #writing: Promise<void> | undefined;
  /** Whether the last write failed; the next one is left to the timer. */
  #failed = false;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** @param at instant, ISO 8601 */
  record(packageId: number, at: string): void {
    this.#times.delete(packageId);
    this.#times.set(packageId, at);
    if (this.#times.size > MAX_PENDING) this.#times.delete(this.#times.keys().next().value!);
    if (this.#times.size >= FLUSH_SIZE && !this.#failed) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Last download through this process, unless it was written already. */
  of(packageId: number): string | undefined {
    return this.#times.get(packageId);
  }

  /**
   * Writes all pending times, including those that arrive meanwhile; concurrent calls share the write. On failure the
   * times are kept.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    try {
      for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
        await this.#writeBatch(batch);
        for (const [id, at] of batch) if (this.#times.get(id) === at) this.#times.delete(id);
      }
      this.#failed = false;
    } catch (error) {
      this.#log.log('warn', 'download times could not be written; they will be written later', {
        error: String(error),
      });
      this.#failed = true;
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
    }
  }

  #next(): [number, string][] {
    return [...this.#times.entries().take(BATCH_SIZE)].sort(([a], [b]) => a - b);
  }

  async #writeBatch(batch: readonly [number, string][]): Promise<void> {
    const cases = batch.map(
      ([id, at]) =>
        sql`when ${sql.lit(id)} then case when last_downloaded_at > ${at} then last_downloaded_at else ${at} end`,
    );
    await this.#db
      .updateTable('packages')
      .set({ last_downloaded_at: sql<string>`case id ${sql.join(cases, sql` `)} end` })
      .where(
        'id',
        'in',
        batch.map(([id]) => id),
      )
      .execute();
  }

  /** Drops all pending times. */
  discard(): void {
    this.#times.clear();
  }

  /** Writes all pending times at the end of the process. */
  async stop(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }
}
