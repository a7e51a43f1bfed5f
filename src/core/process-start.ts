/**
 * When this process opened its data and had ended the orphans of an earlier one: older files are not of this process.
 */
export class ProcessStart {
  static #count = 0;
  /** Before the names of callers and the like in what several servers of a process share; empty for the first server. */
  readonly prefix: string;
  #at!: Date;
  #monotonic!: number;

  constructor() {
    ProcessStart.#count += 1;
    this.prefix = ProcessStart.#count === 1 ? '' : `${ProcessStart.#count}:`;
    this.moveTo(0);
  }

  /** By the clock of the file system. */
  get at(): Date {
    return this.#at;
  }

  /** Milliseconds since then, by a monotonic clock. */
  uptimeMs(): number {
    return performance.now() - this.#monotonic;
  }

  /** Moves the start, after orphans wrote until now. @param ago milliseconds before now */
  moveTo(ago: number): void {
    this.#monotonic = performance.now() - ago;
    this.#at = new Date(Date.now() - ago);
  }
}
