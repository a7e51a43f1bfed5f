import { type BigIntStats, fstat, open } from 'node:fs';
import { promisify } from 'node:util';
import { GitError } from '../../common/index.ts';
import { BLOCK, type Block, type BlockFiles } from './block-files.ts';
import { Handle, refuse } from './file-handle.ts';

const openAsync = promisify(open);

function statOf(fd: number): Promise<BigIntStats> {
  return new Promise((resolve, reject) => {
    fstat(fd, { bigint: true }, (error, stats) => (error === null ? resolve(stats) : reject(error)));
  });
}

/** Bytes that a thread reads at a time. */
const REGION = 128 * 1024;

/** Target of reads that only bring data into the page cache. */
const nowhere = Buffer.allocUnsafeSlow(REGION);
const NO_BLOCK: Block = { bytes: Buffer.alloc(0), number: -1, of: undefined, used: false };

/**
 * An immutable file, read in blocks. Data in the page cache is read synchronously, which costs a tenth of a read on a
 * thread: regions that a thread has already read, and regions that are probably cached.
 */
export class BlockFile {
  readonly path: string;
  /** Time of the last use, by the clock of all files. */
  lastUsed = 0;
  /** Result of `tryRead`: these bytes from `at` to `end`. */
  bytes: Buffer = NO_BLOCK.bytes;
  at = 0;
  end = 0;
  readonly #files: BlockFiles;
  #holders = 0;
  #handle: Handle | undefined;
  #opening: Promise<void> | undefined;
  #size = 0;
  #serial = 0;
  #identity = '';
  #blocks = new Map<number, Block>();
  #last = NO_BLOCK;
  #present = new Uint8Array(0);
  /** Number of regions that threads must read before the others are tried synchronously. */
  #toLoad: number;

  constructor(path: string, files: BlockFiles) {
    this.path = path;
    this.#files = files;
    this.#toLoad = files.latencyProbe.regions;
  }

  /** Whether the file is being read in chunks. */
  get held(): boolean {
    return this.#holders > 0;
  }

  /**
   * Keeps the file open, so that it can be read to its end even if it is removed.
   * @returns a function that releases it
   */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
    };
  }

  /** Changes if a different file was opened at this path; 0 before the first open. */
  get serial(): number {
    return this.#serial;
  }

  /** Size in bytes, once opened. */
  get size(): number {
    return this.#size;
  }

  /**
   * Looks for `length` bytes from `offset` on, or fewer at the end of the file.
   * @returns whether they are in `bytes` from `at` to `end`, valid until the next read of any file; false if they may
   *   not be in memory: call `load`, then try again
   */
  tryRead(offset: number, length: number): boolean {
    if (this.#handle === undefined || offset >= this.#size) return false;
    const number = Math.floor(offset / BLOCK);
    const block = this.#block(number);
    if (block === null) return false;
    const until = Math.min(offset + length, this.#size);
    this.bytes = block.bytes;
    this.at = offset - number * BLOCK;
    this.end = until - number * BLOCK;
    return this.end <= BLOCK || this.#join(number, until);
  }

  /** Like `tryRead`, but returns a copy; null if the bytes may not be in memory. */
  peek(offset: number, length: number): Buffer | null {
    return this.tryRead(offset, length) ? Buffer.from(this.bytes.subarray(this.at, this.end)) : null;
  }

  /**
   * Brings bytes into memory, so that `tryRead` finds them.
   * @throws the file system's error; GitError `corrupt` if the file ends before `offset`, `aborted`
   */
  async load(offset: number, length: number): Promise<void> {
    await this.open();
    if (offset >= this.#size) throw new GitError('corrupt', `${this.path} is far too short`);
    const last = Math.floor((Math.min(offset + length, this.#size) - 1) / REGION);
    for (let region = Math.floor(offset / REGION); region <= last; region += 1) {
      if (this.#present[region] === 1 || this.#toLoad === 0) continue;
      const present = this.#present;
      await this.#read(nowhere, region * REGION);
      present[region] = 1;
      if (this.#toLoad > 0) this.#toLoad -= 1;
    }
  }

  /**
   * Reads bytes without caching them.
   * @returns `length` bytes, or fewer at the end of the file
   * @throws as `load`
   */
  async read(offset: number, length: number): Promise<Buffer> {
    await this.open();
    const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, this.#size - offset)));
    return buffer.subarray(0, await this.#read(buffer, offset));
  }

  /** Marks the file as used. @returns whether it is open */
  use(): boolean {
    this.lastUsed = this.#files.now();
    return this.#handle !== undefined;
  }

  /** Opens the file if it is closed. */
  async open(): Promise<void> {
    this.lastUsed = this.#files.now();
    if (this.#handle !== undefined) return;
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /** Closes the file; the next read opens it again. */
  close(): void {
    const handle = this.#handle;
    if (handle === undefined) return;
    this.#handle = undefined;
    this.#last = NO_BLOCK;
    this.bytes = NO_BLOCK.bytes;
    this.#files.left(this);
    handle.close();
  }

  /** Closes the file and discards its blocks because its content is wrong. */
  invalidate(): void {
    this.close();
    this.#identity = '';
  }

  async #openNow(): Promise<void> {
    this.#files.refuseClosed();
    const handle = new Handle(await openAsync(this.path, 'r').catch((error: unknown) => refuse(error, this.path)));
    try {
      const stats = await statOf(handle.fd);
      this.#files.refuseClosed();
      const identity = `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
      if (identity !== this.#identity) {
        this.#identity = identity;
        this.#serial = this.#files.nextSerial();
        this.#size = Number(stats.size);
        this.#blocks = new Map();
        this.#present = new Uint8Array(Math.ceil(this.#size / REGION));
      }
    } catch (error) {
      handle.close();
      throw error;
    }
    this.#handle = handle;
    this.#files.opened(this);
  }

  /** Joins data that spans several blocks. */
  #join(number: number, until: number): boolean {
    const { at } = this;
    const length = this.end - at;
    const joint = this.#files.joint(length);
    for (let filled = 0, next = number; filled < length; next += 1) {
      const block = this.#block(next);
      if (block === null) return false;
      filled += block.bytes.copy(joint, filled, next === number ? at : 0, Math.min(BLOCK, until - next * BLOCK));
    }
    this.bytes = joint;
    this.at = 0;
    this.end = length;
    return true;
  }

  #block(number: number): Block | null {
    const last = this.#last;
    const known = last.number === number && last.of === this.#blocks ? last : this.#blocks.get(number);
    if (known !== undefined) {
      known.used = true;
      this.#last = known;
      return known;
    }
    const offset = number * BLOCK;
    const isPresent = this.#present[Math.floor(offset / REGION)] === 1;
    if (!isPresent && this.#toLoad > 0) return null;
    const block = this.#files.vacant();
    this.#fill(block.bytes, offset, !isPresent);
    block.number = number;
    block.of = this.#blocks;
    block.used = true;
    this.#blocks.set(number, block);
    this.#last = block;
    return block;
  }

  #fill(bytes: Buffer, offset: number, isTrial: boolean): void {
    const length = Math.min(BLOCK, this.#size - offset);
    const started = this.#files.now();
    const read = this.#handle!.readSync(bytes, length, offset, this.path);
    this.lastUsed = this.#files.now();
    if (this.#files.latencyProbe.record(this.lastUsed - started, isTrial)) {
      this.#toLoad = this.#files.latencyProbe.regions;
      this.#present.fill(0);
    }
    if (read < length) throw new GitError('corrupt', `${this.path} is far too short`);
  }

  async #read(buffer: Buffer, offset: number): Promise<number> {
    await this.open();
    return await this.#handle!.read(buffer, offset, this.path);
  }
}
