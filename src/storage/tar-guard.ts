import type { Headers } from 'tar-stream';

/** Bytes of headers before an entry. Names and attributes of any length can stand there, and are read as a whole. */
const MAX_HEADERS = 1024 * 1024;
const BLOCK = 512;

/** Watches a tar that strangers made while it is read: some are made to fill the memory, or to never end. */
export class TarGuard {
  readonly #refuse: () => Error;
  #given = 0;
  /** Where the last entry ends at the latest. */
  #end = 0;

  /** @param refuse makes the error for such a tar */
  constructor(refuse: () => Error) {
    this.#refuse = refuse;
  }

  /** Hands the bytes of the tar on. @throws what `refuse` makes, where headers are too long */
  async *watch(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of bytes) {
      this.#given += chunk.length;
      if (this.#given - this.#end > MAX_HEADERS) throw this.#refuse();
      yield chunk;
    }
  }

  /** Has to be told of each entry before it is read. @throws what `refuse` makes, where it says that it is of no length */
  enter({ size = 0 }: Headers): void {
    if (!Number.isSafeInteger(size) || size < 0) throw this.#refuse();
    this.#end = this.#given + Math.ceil(size / BLOCK) * BLOCK;
  }
}
