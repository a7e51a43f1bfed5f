/** A hook that other areas extend: handlers run one after the other, in the order of registration. */
export class ExtensionPoint<Args extends readonly unknown[]> {
  readonly #parts: ((...args: Args) => Promise<void>)[] = [];

  /** Registers a handler. To be called during the start. */
  add(part: (...args: Args) => Promise<void>): void {
    this.#parts.push(part);
  }

  /** Runs all handlers. @throws the error of the first handler that fails, after which no others run */
  async run(...args: Args): Promise<void> {
    for (const part of this.#parts) await part(...args);
  }
}
