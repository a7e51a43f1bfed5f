import { sql } from 'kysely';
import type { Logger } from '../core/logger.ts';
import type { Db } from '../db/db.schema.ts';

/** How long times are kept in memory: a commit for each download would make everybody read everything anew. */
const KEPT_MS = 60_000;
/** Packages whose times are kept, after which they are written at once. */
const WRITTEN_AT = 5_000;
/** Packages whose times are kept at most, where they cannot be written: those that were downloaded last. */
const MAX_KEPT = 10_000;
const BATCH_SIZE = 500;

/** When packages were last downloaded, as far as the database does not know it yet. */
export class DownloadTimes {
  readonly #db: Db;
  readonly #log: Logger;
  /** By the package's id, that of the last download at the end. */
  readonly #times = new Map<number, string>();
  #timer: NodeJS.Timeout | undefined;
  /** What writes at this moment. */
  #writing: Promise<void> | undefined;
  /** The last try did not succeed: the next one is that of the timer. */
  #failed = false;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** @param at instant, ISO 8601 */
  record(packageId: number, at: string): void {
    this.#times.delete(packageId);
    this.#times.set(packageId, at);
    if (this.#times.size > MAX_KEPT) this.#times.delete(this.#times.keys().next().value!);
    if (this.#times.size >= WRITTEN_AT && !this.#failed) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), KEPT_MS).unref();
  }

  /** When this process last gave a file of the package, unless the database knows it. */
  of(packageId: number): string | undefined {
    return this.#times.get(packageId);
  }

  /** Writes what is kept, what comes meanwhile, too; once for all who ask. What cannot be written now is kept for later. */
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
      this.#log.log('warn', 'the times of downloads could not be written; they are tried again', {
        error: String(error),
      });
      this.#failed = true;
      this.#timer ??= setTimeout(() => void this.flush(), KEPT_MS).unref();
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

  /** Writes what is kept, at the end of the process. */
  async stop(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }
}
