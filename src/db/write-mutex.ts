/** Milliseconds a write waits for another transaction of this process. */
const WRITE_WAIT = 30_000;

/** Lets one writer in at a time; readers never wait. */
export class WriteMutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

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
        reject(new Error('waited too long for the database: is the outer handle used inside a transaction?'));
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
