const HEADER = 4;
/** Maximum number of bytes of the first command that contain the client's capabilities. */
const MAX_FIRST = 64 * 1024;
const SHALLOW = Buffer.from('shallow ');

/**
 * Counts the commands at the start of a push (gitprotocol-pack: one packet each, up to a flush) as they pass. Only the
 * first one is kept.
 */
export class CommandCount {
  readonly #limit: number;
  #header = '';
  /** Remaining bytes of the current packet. */
  #left = 0;
  /** Start of the current packet, as far as it is needed. */
  #seen: Buffer[] = [];
  #seenBytes = 0;
  #first: string | null = null;
  #count = 0;
  #isOver = false;

  /** @param limit maximum number of commands */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Capabilities of the client in the first command. */
  get capabilities(): readonly string[] {
    return this.#first?.split('\0')[1]?.trim().split(' ') ?? [];
  }

  /** @returns false once there are too many commands; git itself reports malformed packets */
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
