/** Bytes of one body that are kept. */
export const MAX_BODY = 64 * 1024;

/**
 * Memory of all recorded bodies, outside the heap: on it, what is kept for a while would be moved about by the garbage
 * collector for longer than it takes to answer. The newest bytes replace the oldest.
 */
export class RecordedBodies {
  readonly #size: number;
  #memory: Buffer | null = null;
  /** Bytes written so far, with those left free at the end of each round. */
  #position = 0;

  /** @param size in bytes */
  constructor(size: number) {
    this.#size = size;
  }

  /** Position of the oldest byte that is still there. */
  get oldest(): number {
    return this.#position - this.#size;
  }

  /** Makes room for so many bytes in a row. @returns their position */
  #reserve(bytes: number): number {
    const left = this.#size - (this.#position % this.#size);
    if (left < bytes) this.#position += left;
    return this.#position;
  }

  /**
   * Copies the beginning of a chunk.
   * @param most bytes of it that are kept
   * @returns position and number of the bytes that are kept
   */
  write(chunk: Uint8Array | string, most: number): { position: number; length: number } {
    this.#memory ??= Buffer.allocUnsafeSlow(this.#size);
    const room = Math.min(most, typeof chunk === 'string' ? 3 * chunk.length : chunk.length);
    const position = this.#reserve(room);
    const at = position % this.#size;
    let length = room;
    if (typeof chunk === 'string') length = this.#memory.write(chunk, at, room);
    else this.#memory.set(chunk.length > room ? chunk.subarray(0, room) : chunk, at);
    this.#position += length;
    return { position, length };
  }

  /** A copy of bytes; null if they were replaced. */
  read(position: number, length: number): Buffer | null {
    if (this.#memory === null || position < this.oldest) return null;
    const at = position % this.#size;
    return Buffer.from(this.#memory.subarray(at, at + length));
  }
}

/** What goes through in one direction: the beginning, and how much it is. */
export class RecordedBody {
  readonly #memory: RecordedBodies;
  /** Position of its first byte in the memory; infinite if there is none. */
  position = Number.POSITIVE_INFINITY;
  #length = 0;
  /** Positions and lengths of further parts. */
  #parts: [position: number, length: number][] | null = null;
  #shared: Uint8Array | null = null;
  kept = 0;
  size = 0;

  constructor(memory: RecordedBodies) {
    this.#memory = memory;
  }

  /** Takes a whole body that nobody changes and that others keep, too, without a copy. */
  share(body: Uint8Array): void {
    this.#shared = body;
    this.kept = body.length;
    this.size = body.length;
  }

  take(chunk: Uint8Array | string): void {
    const most = MAX_BODY - this.kept;
    if (most <= 0) {
      this.size += Buffer.byteLength(chunk);
      return;
    }
    const { position, length } = this.#memory.write(chunk, most);
    const isWhole = (typeof chunk === 'string' ? 3 * chunk.length : chunk.length) <= most;
    this.size += isWhole ? length : Buffer.byteLength(chunk);
    this.kept += length;
    if (this.position === Number.POSITIVE_INFINITY) [this.position, this.#length] = [position, length];
    else this.#parts = [...(this.#parts ?? []), [position, length]];
  }

  /** What is kept; null once it was replaced. */
  bytes(): Uint8Array | null {
    if (this.#shared !== null) return this.#shared;
    const chunks: Buffer[] = [];
    for (const [position, length] of [[this.position, this.#length] as const, ...(this.#parts ?? [])]) {
      const chunk = this.#memory.read(position, length);
      if (chunk === null) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}
