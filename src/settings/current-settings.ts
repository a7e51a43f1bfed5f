import type { ApplicationSettings } from './settings-table.ts';

/** Maximum age of the settings where several processes may change them. */
const STALE_MS = 1_000;
/** Maximum age with a single process: the licence can expire without a change. */
const STALE_ALONE_MS = 60_000;

/** Delay before reading the settings again after a failure. */
const RETRY_MS = 1_000;

/** Channel on which processes announce changed settings. */
export const SETTINGS_CHANNEL = 'stithy_settings';

/**
 * The settings as known to this process, for code that cannot wait for the database: rights and rate limits. With a
 * single process (SQLite) they are always current. Changes by other processes are announced; should an announcement be
 * lost, requests still see settings at most one second old (`fresh`).
 */
export class CurrentSettings {
  readonly #read: () => Promise<ApplicationSettings>;
  readonly #tell: () => Promise<void>;
  readonly #staleMs: number;
  #known: ApplicationSettings;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  #renewing: Promise<void> | null = null;

  /**
   * @param initial the settings until the first read
   * @param shared whether other processes change settings as well
   * @param tell makes the other processes read the settings again
   */
  constructor(
    read: () => Promise<ApplicationSettings>,
    initial: ApplicationSettings,
    shared: boolean,
    tell: () => Promise<void>,
  ) {
    this.#read = read;
    this.#tell = tell;
    this.#known = initial;
    this.#staleMs = shared ? STALE_MS : STALE_ALONE_MS;
  }

  /** The settings without waiting. */
  get now(): ApplicationSettings {
    void this.fresh();
    return this.#known;
  }

  /**
   * Waits until the settings are recent enough; null if they already are. Never rejects: the known settings stay in
   * force while the database is unavailable.
   */
  fresh(): Promise<void> | null {
    const now = performance.now();
    if (now - this.#readAt <= this.#staleMs) return null;
    if (this.#renewing === null && now - this.#failedAt > RETRY_MS) {
      this.#renewing = this.refresh()
        .catch(() => {
          this.#failedAt = performance.now();
        })
        .finally(() => {
          this.#renewing = null;
        });
    }
    return this.#renewing;
  }

  /** Reads the settings again. Reads run one after the other, so that the last one counts. */
  refresh(): Promise<void> {
    const read = async () => {
      const readAt = performance.now();
      this.#known = await this.#read();
      this.#readAt = readAt;
    };
    const next = this.#reading.then(read, read);
    this.#reading = next.catch(() => {});
    return next;
  }

  /**
   * To be called after a change of settings or licence was committed: refreshes this process and the others. Never
   * rejects, because the change is committed: if it cannot be read or announced now, it is read before the next
   * decision.
   */
  async changed(): Promise<void> {
    await this.refresh().catch(() => {
      this.#readAt = Number.NEGATIVE_INFINITY;
    });
    await this.#tell().catch(() => {});
  }
}
