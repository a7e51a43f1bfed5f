import { GitError } from '../../common/index.ts';
import { allocateScratch } from './buffer-pool.ts';
import { DiskLatencyProbe } from './disk-latency-probe.ts';

/** Size of a block, the unit of reading and caching. */
export const BLOCK = 16 * 1024;
/**
 * Number of blocks allocated together: the C library keeps large allocations apart and returns them to the system when
 * freed.
 */
const TOGETHER = 64;

/** A reusable block of memory. */
export interface Block {
  readonly bytes: Buffer;
  number: number;
  /** The blocks of its file, which include this one. */
  of: Map<number, Block> | undefined;
  /** Whether it was used since the last pass of the eviction (clock algorithm). */
  used: boolean;
}

interface OpenFile {
  /** Time of the last use. */
  readonly lastUsed: number;
  /** Whether the file must stay open. */
  readonly held: boolean;
  close(): void;
}

/** Blocks in memory and open files, shared by all repositories and bounded. */
export class BlockFiles {
  readonly latencyProbe = new DiskLatencyProbe();
  /** Clock in milliseconds. */
  readonly now: () => number;
  readonly #blocks: Block[] = [];
  /** Memory for blocks, and how much of it is in use. */
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
   * @param options `maxOpen` files, `maxBytes` of blocks, `idleMs` milliseconds of idle time after which a file is
   *   closed, `now` a clock in milliseconds
   */
  constructor(options: { maxOpen: number; maxBytes: number; idleMs: number; now?: () => number }) {
    this.now = options.now ?? (() => performance.now());
    this.#maxOpen = options.maxOpen;
    this.#idleMs = options.idleMs;
    this.#maxBlocks = Math.max(1, Math.floor(options.maxBytes / BLOCK));
  }

  /** Number of open files. */
  get size(): number {
    return this.#open.size;
  }

  /** Returns a block to fill: a new one, or the next one that was not used recently. */
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

  /** Discards all blocks and closes the files; the next read opens them again. */
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

  /** Reusable memory for data that spans several blocks. */
  joint(length: number): Buffer {
    if (this.#joint.length < length) this.#joint = allocateScratch(Math.max(length, 4 * BLOCK));
    return this.#joint;
  }

  /** Returns a number that is unique to one file and one version of its content. */
  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** @throws GitError `aborted` once closed */
  refuseClosed(): void {
    if (this.#closed) throw new GitError('aborted', 'the repository pool is closed');
  }

  /** Registers a file that was just opened. Above the bound, closes the least recently used file. */
  opened(file: OpenFile): void {
    this.#open.add(file);
    if (this.#open.size > this.#maxOpen) {
      const others = [...this.#open].filter((one) => one !== file && !one.held);
      if (others.length > 0) others.reduce((a, b) => (b.lastUsed < a.lastUsed ? b : a)).close();
    }
    this.#timer ??= setInterval(() => this.#sweep(), Math.min(this.#idleMs, 5_000)).unref();
  }

  /** Unregisters a closed file. */
  left(file: OpenFile): void {
    this.#open.delete(file);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Closes all files permanently. */
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
