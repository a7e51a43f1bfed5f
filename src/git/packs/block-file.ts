import { type BigIntStats, fstat, open } from 'node:fs';
import { promisify } from 'node:util';
import { GitError } from '../git.errors.ts';
import { BLOCK, type Block, type BlockFiles } from './block-files.ts';
import { Handle, refuse } from './file-handle.ts';

const openAsync = promisify(open);

function statOf(fd: number): Promise<BigIntStats> {
  return new Promise((resolve, reject) => {
    fstat(fd, { bigint: true }, (error, stats) => (error === null ? resolve(stats) : reject(error)));
  });
}

/** What a thread reads at a time. */
const REGION = 128 * 1024;

/** Where threads read what only has to come into the memory of the system. */
const nowhere = Buffer.allocUnsafeSlow(REGION);
const NO_BLOCK: Block = { bytes: Buffer.alloc(0), number: -1, of: undefined, used: false };

/**
 * A file whose bytes never change, read in blocks. What is in the memory of the system is read at once, which costs a tenth of
 * waiting for a thread: what a thread has brought there, and what does not seem to be on a disk only.
 */
export class BlockFile {
  readonly path: string;
  /** Of the clock of all files. */
  lastUsed = 0;
  /** What `tryRead` has found: from `at` to `end` of these bytes. */
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
  /** How many regions threads are to read before the others are tried at once. */
  #toLoad: number;

  constructor(path: string, files: BlockFiles) {
    this.path = path;
    this.#files = files;
    this.#toLoad = files.latencyProbe.regions;
  }

  /** Whether somebody reads it piece by piece. */
  get held(): boolean {
    return this.#holders > 0;
  }

  /** Keeps it open, so that it can be read to its end also when it is removed meanwhile. @returns what ends that */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
    };
  }

  /** Changes when another file has come to this path; 0 before it was opened. */
  get serial(): number {
    return this.#serial;
  }

  /** Bytes, once it was opened. */
  get size(): number {
    return this.#size;
  }

  /**
   * Looks at bytes from `offset` on: `length`, or less where the file ends.
   * @returns whether they are in `bytes` now, from `at` to `end`, until somebody looks at any file again; false where they are not in
   *   memory for sure: `load` them, then look again
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

  /** The same as a copy; null where they are not in memory for sure. */
  peek(offset: number, length: number): Buffer | null {
    return this.tryRead(offset, length) ? Buffer.from(this.bytes.subarray(this.at, this.end)) : null;
  }

  /**
   * Brings bytes into memory, so that `tryRead` finds them.
   * @throws the file system's error; GitError `corrupt` where the file ends before `offset`, `aborted`
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
   * Bytes that are not kept.
   * @returns `length` bytes, or less where the file ends
   * @throws as `load`
   */
  async read(offset: number, length: number): Promise<Buffer> {
    await this.open();
    const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, this.#size - offset)));
    return buffer.subarray(0, await this.#read(buffer, offset));
  }

  /** Says that it is of use. @returns whether it is open */
  use(): boolean {
    this.lastUsed = this.#files.now();
    return this.#handle !== undefined;
  }

  /** Opens it where it is not. */
  async open(): Promise<void> {
    this.lastUsed = this.#files.now();
    if (this.#handle !== undefined) return;
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /** Closes it; the next read opens it again. */
  close(): void {
    const handle = this.#handle;
    if (handle === undefined) return;
    this.#handle = undefined;
    this.#last = NO_BLOCK;
    this.bytes = NO_BLOCK.bytes;
    this.#files.left(this);
    handle.close();
  }

  /** Closes it and forgets what was read: its bytes are not what they should be. */
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

  /** Puts together what lies in several blocks. */
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
