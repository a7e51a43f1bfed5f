import { closeSync, fdatasync, openSync } from 'node:fs';

const sync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/**
 * The write-ahead log of a SQLite database, put on disk while the event loop goes on. Who asks while that is under way has
 * it done once more, together with all others that ask meanwhile. Once it has failed nothing is taken for being there any more: the
 * system tells of a failure once, and takes what it could not write for written, without which what follows in the log is of no use.
 */
export class LogFile {
  readonly #file: number;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failed: Promise<void> | null = null;

  /** @param path of the database, which has been read, so that the log is there; it stays as long as the database is open */
  constructor(path: string) {
    this.#file = openSync(`${path}-wal`, 'r');
  }

  /** When all is on disk that was asked to be; null where it is. It fails for good once anything could not be put there. */
  get pending(): Promise<void> | null {
    return this.#failed ?? this.#next ?? this.#running;
  }

  /** Has all that is committed by now put on disk. @throws the file system's error, from then on always */
  flush(): Promise<void> {
    if (this.#failed !== null) return this.#failed;
    if (this.#running === null) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#running.then(begin);
    return this.#next;
  }

  /** To be called when nothing is under way any more. */
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
