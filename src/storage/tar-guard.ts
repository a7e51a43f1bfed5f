import type { Headers } from 'tar-stream';

/** Maximum bytes of headers before an entry. Names and attributes can have any length and are read as a whole. */
const MAX_HEADERS = 1024 * 1024;
const BLOCK = 512;

/** Checks an untrusted tar archive while it is read, against archives that exhaust memory or never end. */
export class TarGuard {
  readonly #refuse: () => Error;
  #bytesPassed = 0;
  /** Latest end of the last entry. */
  #end = 0;

  /** @param refuse makes the error for a malicious archive */
  constructor(refuse: () => Error) {
    this.#refuse = refuse;
  }

  /** Passes the bytes of the archive on. @throws the error of `refuse` if headers are too long */
  async *watch(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of bytes) {
      this.#bytesPassed += chunk.length;
      if (this.#bytesPassed - this.#end > MAX_HEADERS) throw this.#refuse();
      yield chunk;
    }
  }

  /** Has to be called for each entry before it is read. @throws the error of `refuse` for an entry of negative size */
  enter({ size = 0 }: Headers): void {
    if (!Number.isSafeInteger(size) || size < 0) throw this.#refuse();
    this.#end = this.#bytesPassed + Math.ceil(size / BLOCK) * BLOCK;
  }
}
