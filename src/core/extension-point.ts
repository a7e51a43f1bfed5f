/** A moment in which others take part: what they added runs one after the other, in the order of adding. */
export class ExtensionPoint<Args extends readonly unknown[]> {
  readonly #parts: ((...args: Args) => Promise<void>)[] = [];

  /** Takes part from now on. For the start. */
  add(part: (...args: Args) => Promise<void>): void {
    this.#parts.push(part);
  }

  /** Lets everyone take part. @throws what the first of them throws that fails; the others are not asked then */
  async run(...args: Args): Promise<void> {
    for (const part of this.#parts) await part(...args);
  }
}
