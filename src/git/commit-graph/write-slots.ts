/** Writes that run at once. */
const SLOTS = 2;
/** A write of a large repository takes longer than so many milliseconds. */
const LONG_MS = 1_000;

/**
 * Bounds how many graphs and indexes are written at once. One that turns out to be long gives its slot to others, unless another
 * long one runs: a large repository does not hold up small ones.
 */
export class WriteSlots {
  #free = SLOTS;
  #hasLong = false;
  readonly #waiting: (() => void)[] = [];

  /** Runs a function once there is a slot, in the order of the calls. @throws what the function throws */
  async run<T>(write: () => Promise<T>): Promise<T> {
    await this.#take();
    let isLong = false;
    const timer = setTimeout(() => {
      if (this.#hasLong) return;
      this.#hasLong = true;
      isLong = true;
      this.#give();
    }, LONG_MS).unref();
    try {
      return await write();
    } finally {
      clearTimeout(timer);
      if (isLong) this.#hasLong = false;
      else this.#give();
    }
  }

  #take(): Promise<void> | void {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
