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

/** A function that somebody further up must provide, once, during the start. */
export class ProvidedFunction<Args extends readonly unknown[], Result> {
  readonly #name: string;
  #provided: ((...args: Args) => Promise<Result>) | undefined;

  /** @param name for errors */
  constructor(name: string) {
    this.#name = name;
  }

  /** @throws Error if it is already provided */
  provide(provided: (...args: Args) => Promise<Result>): void {
    if (this.#provided !== undefined) throw new Error(`${this.#name} is provided twice`);
    this.#provided = provided;
  }

  /** To be called at the end of the start. @throws Error if nobody provides the function */
  requireProvided(): (...args: Args) => Promise<Result> {
    if (this.#provided === undefined) throw new Error(`nobody provides ${this.#name}`);
    return this.#provided;
  }

  /** @throws errors of the function; Error if nobody provides it */
  async call(...args: Args): Promise<Result> {
    return this.requireProvided()(...args);
  }
}
