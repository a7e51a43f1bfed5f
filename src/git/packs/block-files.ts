import { GitError } from '../git.errors.ts';
import { allocateScratch } from './buffer-pool.ts';
import { DiskLatencyProbe } from './disk-latency-probe.ts';

/** What is read and kept at a time. */
export const BLOCK = 16 * 1024;
/** So many blocks are allocated together: large pieces the C library keeps apart, and gives back when they are free. */
const TOGETHER = 64;

/** What lies in a piece of memory that is used again. */
export interface Block {
  readonly bytes: Buffer;
  number: number;
  /** The blocks of its file, among which it is. */
  of: Map<number, Block> | undefined;
  /** Whether it was asked for since it was last looked at for giving it up. */
  used: boolean;
}

interface OpenFile {
  /** Of the clock. */
  readonly lastUsed: number;
  /** Whether it has to stay open. */
  readonly held: boolean;
  close(): void;
}

/** What the files of all repositories share: blocks in memory, and how many of them are open, both bounded. */
export class BlockFiles {
  readonly latencyProbe = new DiskLatencyProbe();
  /** Gives milliseconds. */
  readonly now: () => number;
  readonly #blocks: Block[] = [];
  /** Memory for blocks, and how much of it blocks have. */
  #piece: Buffer = Buffer.alloc(0);
  #taken = 0;
  readonly #maxBlocks: number;
  #hand = 0;
  #joint = allocateScratch(0);
  readonly #maxOpen: number;
  readonly #idleMs: number;
  readonly #open = new Set<OpenFile>();
  #serial = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * @param options `maxOpen` files, `maxBytes` of blocks, `idleMs` milliseconds without use after which a file is closed, `now` a clock in
   *   milliseconds
   */
  constructor(options: { maxOpen: number; maxBytes: number; idleMs: number; now?: () => number }) {
    this.now = options.now ?? (() => performance.now());
    this.#maxOpen = options.maxOpen;
    this.#idleMs = options.idleMs;
    this.#maxBlocks = Math.max(1, Math.floor(options.maxBytes / BLOCK));
  }

  /** How many files are open. */
  get size(): number {
    return this.#open.size;
  }

  /** A block to fill: a new one, or the next that nobody has asked for lately. */
  vacant(): Block {
    if (this.#blocks.length < this.#maxBlocks) {
      const block: Block = { bytes: this.#allocated(), number: -1, of: undefined, used: false };
      this.#blocks.push(block);
      return block;
    }
    for (;;) {
      const block = this.#blocks[this.#hand]!;
      this.#hand = (this.#hand + 1) % this.#blocks.length;
      if (!block.used) {
        block.of?.delete(block.number);
        block.of = undefined;
        return block;
      }
      block.used = false;
    }
  }

  #allocated(): Buffer {
    if (this.#taken === this.#piece.length) {
      this.#piece = allocateScratch(BLOCK * Math.min(TOGETHER, this.#maxBlocks - this.#blocks.length));
      this.#taken = 0;
    }
    this.#taken += BLOCK;
    return this.#piece.subarray(this.#taken - BLOCK, this.#taken);
  }

  /** Forgets what was read, and closes the files: the next read opens them again. */
  release(): void {
    for (const file of [...this.#open]) if (!file.held) file.close();
    for (const block of this.#blocks) {
      block.of?.delete(block.number);
      block.of = undefined;
    }
    this.#blocks.length = 0;
    this.#hand = 0;
    this.#piece = Buffer.alloc(0);
    this.#taken = 0;
    this.#joint = allocateScratch(0);
  }

  /** Memory for bytes that lie in several blocks, used again for the next. */
  joint(length: number): Buffer {
    if (this.#joint.length < length) this.#joint = allocateScratch(Math.max(length, 4 * BLOCK));
    return this.#joint;
  }

  /** A number that no other file, and no other content of the same, has. */
  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** @throws GitError `aborted` once this is closed */
  refuseClosed(): void {
    if (this.#closed) throw new GitError('aborted', 'the repository pool is closed');
  }

  /** Takes a file that has just been opened; past the bound the one that was not used for the longest time is closed. */
  opened(file: OpenFile): void {
    this.#open.add(file);
    if (this.#open.size > this.#maxOpen) {
      const others = [...this.#open].filter((one) => one !== file && !one.held);
      if (others.length > 0) others.reduce((a, b) => (b.lastUsed < a.lastUsed ? b : a)).close();
    }
    this.#timer ??= setInterval(() => this.#sweep(), Math.min(this.#idleMs, 5_000)).unref();
  }

  /** Takes leave of a file that is closed. */
  left(file: OpenFile): void {
    this.#open.delete(file);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Closes all files; none is opened again. */
  close(): void {
    this.#closed = true;
    for (const file of [...this.#open]) file.close();
    this.release();
  }

  #sweep(): void {
    const before = this.now() - this.#idleMs;
    for (const file of [...this.#open]) if (file.lastUsed < before && !file.held) file.close();
  }
}
