import type { ApplicationSettings } from './settings-table.ts';

/** How long another process may go on with the settings that it has read. */
const STALE_MS = 5_000;
/** How long the only one may: its licence can end without a change. */
const STALE_ALONE_MS = 60_000;

/**
 * The settings as this process knows them, for what cannot wait for the database: limits of requests. They are those in force
 * where one process serves (SQLite); what another process changes is known here five seconds later at most.
 */
export class CurrentSettings {
  readonly #read: () => Promise<ApplicationSettings>;
  readonly #staleMs: number;
  #known: ApplicationSettings;
  #readAt = 0;
  #reading: Promise<void> = Promise.resolve();
  #waiting = false;

  /**
   * @param initial those that are in force until they are read
   * @param shared whether other processes change settings, too
   */
  constructor(read: () => Promise<ApplicationSettings>, initial: ApplicationSettings, shared: boolean) {
    this.#read = read;
    this.#known = initial;
    this.#staleMs = shared ? STALE_MS : STALE_ALONE_MS;
  }

  /** Without waiting. */
  get now(): ApplicationSettings {
    if (!this.#waiting && performance.now() - this.#readAt > this.#staleMs) {
      this.#waiting = true;
      // Those that are known stay in force while the database cannot be asked.
      this.refresh()
        .catch(() => {})
        .finally(() => {
          this.#waiting = false;
        });
    }
    return this.#known;
  }

  /** Reads them anew: at the start, and after each change. One read after the other, so that the last one counts. */
  refresh(): Promise<void> {
    const read = async () => {
      this.#readAt = performance.now();
      this.#known = await this.#read();
    };
    const next = this.#reading.then(read, read);
    this.#reading = next.catch(() => {});
    return next;
  }
}
