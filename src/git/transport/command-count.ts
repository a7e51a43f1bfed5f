const HEADER = 4;
/** Bytes of the first command that tell what the client can do. */
const MAX_FIRST = 64 * 1024;
const SHALLOW = Buffer.from('shallow ');

/**
 * Counts the commands that a push begins with (gitprotocol-pack: a packet each, up to a flush), as its bytes come by; keeps none
 * but the first.
 */
export class CommandCount {
  readonly #limit: number;
  #header = '';
  /** Bytes of the packet that are still to come. */
  #left = 0;
  /** What of the packet was seen, as long as it may matter. */
  #seen: Buffer[] = [];
  #seenBytes = 0;
  #first: string | null = null;
  #count = 0;
  #isOver = false;

  /** @param limit commands that are let by */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Words of the first command that say what the client can do. */
  get capabilities(): readonly string[] {
    return this.#first?.split('\0')[1]?.trim().split(' ') ?? [];
  }

  /** @returns false once there are too many; of what is no packet git says so itself */
  take(chunk: Buffer): boolean {
    let at = 0;
    while (!this.#isOver && at < chunk.length) {
      if (this.#left === 0) {
        const part = chunk.toString('latin1', at, at + HEADER - this.#header.length);
        at += part.length;
        this.#header += part;
        if (this.#header.length === HEADER) this.#begin();
      } else {
        const end = Math.min(chunk.length, at + this.#left);
        this.#see(chunk.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#end();
      }
      if (this.#count > this.#limit) return false;
    }
    return true;
  }

  #begin(): void {
    const length = /^[0-9a-f]{4}$/i.test(this.#header) ? Number.parseInt(this.#header, 16) : -1;
    this.#header = '';
    if (length <= HEADER) this.#isOver = true;
    else this.#left = length - HEADER;
  }

  #see(part: Buffer): void {
    const limit = this.#first === null ? MAX_FIRST : SHALLOW.length;
    if (this.#seenBytes >= limit) return;
    this.#seen.push(Buffer.from(part.subarray(0, limit - this.#seenBytes)));
    this.#seenBytes += this.#seen.at(-1)!.length;
  }

  #end(): void {
    const seen = Buffer.concat(this.#seen);
    this.#seen = [];
    this.#seenBytes = 0;
    if (seen.subarray(0, SHALLOW.length).equals(SHALLOW)) return;
    this.#count += 1;
    this.#first ??= seen.toString('latin1');
  }
}
