import { Busy } from '../core/busy.ts';

/** Milliseconds that a write waits for other transactions of this process. */
const WRITE_WAIT = 30_000;

/** Admits one writer at a time; readers never wait. */
export class WriteMutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

  /** Waits for its turn. @throws Busy on timeout: others write, or the outer handle is used inside a transaction */
  async lock(): Promise<void> {
    if (!this.#locked) {
      this.#locked = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        const late = new Busy(503, '503 Service Unavailable - the server is busy; try again', 2);
        late.cause = new Error('waited too long for the database: is the outer handle used inside a transaction?');
        reject(late);
      }, WRITE_WAIT);
      this.#waiting.push(start);
    });
  }

  unlock(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#locked = false;
  }
}
