import { closeSync, fdatasync, openSync } from 'node:fs';

const sync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/**
 * Flushes the write-ahead log of a SQLite database without blocking the event loop. Callers during a flush share the
 * next one. After a failure every flush fails: the system reports an error only once and then treats the lost pages as
 * written, without which the later log is useless.
 */
export class LogFile {
  readonly #file: number;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failed: Promise<void> | null = null;

  /** @param path path of the database, which has been read, so that the log exists while the database is open */
  constructor(path: string) {
    this.#file = openSync(`${path}-wal`, 'r');
  }

  /** Resolves when all requested flushes are done; null if there are none. Rejects permanently after a failure. */
  get pending(): Promise<void> | null {
    return this.#failed ?? this.#next ?? this.#running;
  }

  /** Flushes everything committed so far. @throws the file system's error, also at all later calls */
  flush(): Promise<void> {
    if (this.#failed !== null) return this.#failed;
    if (this.#running === null) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#running.then(begin);
    return this.#next;
  }

  /** To be called after the last write. */
  close(): void {
    closeSync(this.#file);
  }

  #begin(): Promise<void> {
    this.#next = null;
    const ended = () => {
      if (this.#running === running) this.#running = null;
    };
    const running = sync(this.#file);
    this.#running = running;
    running.then(ended, () => {
      this.#failed = running;
    });
    return running;
  }
}
