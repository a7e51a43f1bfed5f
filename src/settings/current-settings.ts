import type { ApplicationSettings } from './settings-table.ts';

/** How old the settings may be that a process goes by, where others change them, too. */
const STALE_MS = 1_000;
/** How old they may be where there is one: its licence can end without a change. */
const STALE_ALONE_MS = 60_000;

/** Between two attempts to read them where they cannot be read. */
const RETRY_MS = 1_000;

/** The channel by which processes tell each other that settings have changed. */
export const SETTINGS_CHANNEL = 'stithy_settings';

/**
 * The settings as this process knows them, for what cannot wait for the database: rights and limits of requests. They are those in force
 * where one process serves (SQLite). What another process changes is told to this one at once; should that be lost, whatever comes from
 * outside is answered by settings that are a second old at most (`fresh`).
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
   * @param initial those that are in force until they are read
   * @param shared whether other processes change settings, too
   * @param tell has the other processes read them anew
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

  /** Without waiting. */
  get now(): ApplicationSettings {
    void this.fresh();
    return this.#known;
  }

  /**
   * Before anything is decided for somebody: fulfils when the settings are not too old, null where they are not. Never rejects: those that are
   * known stay in force while the database cannot be asked.
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

  /** Reads them anew. One read after the other, so that the last one counts. */
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
   * For whoever has changed them or the licence, once that is committed: here, and in the other processes. Never rejects, for the change
   * stands: where it cannot be read or told now, it is read before anything is decided again.
   */
  async changed(): Promise<void> {
    await this.refresh().catch(() => {
      this.#readAt = Number.NEGATIVE_INFINITY;
    });
    await this.#tell().catch(() => {});
  }
}
