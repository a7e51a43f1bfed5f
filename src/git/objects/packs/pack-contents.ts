import { SERVER } from '../../../core/fair-slots.ts';
import { GitError, type ObjectType } from '../../common/index.ts';
import type { BlockFile } from './block-file.ts';
import { allocateScratch, copyFromPool } from './buffer-pool.ts';
import { applyDelta, resultSize } from './delta.ts';
import type { Bases } from './delta-base-cache.ts';
import {
  inflateBytes,
  inflateBytesSync,
  inflatePrefix,
  MAX_INLINE_BYTES,
  MAX_INLINE_BYTES_OF_READERS,
  maxAnyCompressedBytes,
  maxCompressedBytes,
} from './inflate.ts';
import { inflateChunks } from './inflate-chunks.ts';
import type { Entry } from './pack-entry.ts';
import { concatChunks, type PackResources, type RawObject, TooLargeToRead } from './raw-object.ts';

/** Delta chain of an object. */
export interface Chain {
  type: ObjectType;
  /** Deltas, the object's own first. */
  deltas: Entry[];
  /** Base of the chain: an entry or its content. */
  root: Entry | Buffer;
}

/** Data that is not in memory yet. The caller waits for it, then repeats the read. */
export class PendingRead {
  readonly end: Promise<unknown>;

  constructor(end: Promise<unknown>) {
    this.end = end;
  }
}

/** Maximum length of a chain applied synchronously, and maximum inflated size of its deltas. */
const MAX_AT_ONCE = 64;
const MAX_DELTAS_AT_ONCE = MAX_AT_ONCE * MAX_INLINE_BYTES;
/** Bytes of a delta that contain its sizes, compressed or not: dynamic codes take up to 350 bytes (RFC 1951, 3.2.7). */
const DELTA_START = 512;
/** Maximum memory for the deltas and bases of one object. */
const MAX_DELTIFIED = 32 * 1024 * 1024;
/** Maximum size of a content that is read as a whole; larger ones are streamed. */
export const MAX_WHOLE_BYTES = 1024 * 1024;
/** In a long chain the first and every eighth content is cached: recomputing a few is cheaper than caching them. */
const KEEP_EACH = 8;

/** Memory for the delta applied last, for the previous one, and for intermediate results in alternation. */
const [lastDelta, oneDelta] = [allocateScratch(MAX_INLINE_BYTES), allocateScratch(MAX_INLINE_BYTES_OF_READERS)];
const made = [allocateScratch(MAX_INLINE_BYTES_OF_READERS), allocateScratch(MAX_INLINE_BYTES_OF_READERS)] as const;

/** Computes contents from the entries of one pack. */
export class PackContents {
  readonly #file: BlockFile;
  readonly #shared: PackResources;
  readonly #hashBytes: number;
  /** Cached delta bases of the file. */
  #bases: Bases = new Map();

  constructor(file: BlockFile, shared: PackResources, hashBytes: number) {
    this.#file = file;
    this.#shared = shared;
    this.#hashBytes = hashBytes;
  }

  /** Discards the cached contents of a previous file at this path. */
  invalidate(): void {
    this.#bases = new Map();
  }

  /** The cached content at an offset, valid until the next read. */
  cached(offset: number): { type: ObjectType; data: Buffer } | undefined {
    return this.#shared.bases.get(this.#bases, offset);
  }

  /** Reads the object of a chain; see `Pack.read`. */
  read(chain: Chain, maxBytes: number): RawObject | Promise<RawObject> | PendingRead {
    const { type, deltas, root } = chain;
    const last = deltas[0];
    let size = last === undefined ? sizeOf(root) : 0;
    let delta: Buffer | undefined;
    if (last !== undefined) {
      const isWhole = last.size <= (maxBytes < 0 ? DELTA_START : MAX_INLINE_BYTES);
      const start = isWhole ? this.#inflated(last, lastDelta) : this.#start(last);
      if (start instanceof PendingRead) return start;
      if (isWhole) delta = start;
      size = resultSize(start);
    }
    if (size > maxBytes) return { type, size, data: null };
    if (!isQuick(chain, this.#shared.inlineInflateBytes)) {
      const lasting = { ...chain, root: Buffer.isBuffer(root) ? copyFromPool(root) : root };
      return this.#content(lasting, size).then((data) => ({ type, size, data }));
    }
    const data = this.#applied(chain, delta);
    if (data instanceof PendingRead) return data;
    const entry = last ?? root;
    // The next version may be a delta against this one.
    if (this.#shared.readsVersions && !Buffer.isBuffer(entry))
      this.#shared.bases.set(this.#bases, entry.offset, type, data);
    return { type, size, data };
  }

  /** Inflates the first bytes of a delta. */
  #start({ dataAt }: Entry): Buffer | PendingRead {
    const file = this.#file;
    if (!file.tryRead(dataAt, DELTA_START)) return new PendingRead(file.load(dataAt, DELTA_START));
    return inflatePrefix(file.bytes.subarray(file.at, file.end));
  }

  /** Limits a length to the rest of the file after the start of the entry's data. */
  #within({ dataAt }: Entry, length: number): number {
    return Math.min(length, this.#file.size - this.#hashBytes - dataAt);
  }

  /** Inflates a small entry. */
  #inflated(entry: Entry, buffer: Buffer, maxBytes = maxCompressedBytes(entry.size)): Buffer | PendingRead {
    const file = this.#file;
    const length = this.#within(entry, maxBytes);
    if (!file.tryRead(entry.dataAt, length)) return new PendingRead(file.load(entry.dataAt, length));
    try {
      return inflateBytesSync(file.bytes, file.at, file.end, entry.size, buffer);
    } catch (error) {
      const longest = maxAnyCompressedBytes(entry.size);
      if (this.#within(entry, longest) <= length) throw error;
      return this.#inflated(entry, buffer, longest);
    }
  }

  /** Inflates an entry of any size into its own memory. */
  async #inflatedLater(entry: Entry): Promise<Buffer> {
    const now = entry.size <= MAX_INLINE_BYTES ? this.#inflated(entry, oneDelta) : undefined;
    if (Buffer.isBuffer(now)) return copyFromPool(now);
    await now?.end;
    const length = this.#within(entry, maxCompressedBytes(entry.size));
    try {
      return await inflateBytes(await this.#file.read(entry.dataAt, length), entry.size);
    } catch (error) {
      const longest = this.#within(entry, maxAnyCompressedBytes(entry.size));
      if (!(error instanceof GitError) || error.code !== 'corrupt' || longest <= length) throw error;
      return await inflateBytes(await this.#file.read(entry.dataAt, longest), entry.size);
    }
  }

  /** @param delta the last delta if it is already inflated */
  #applied({ type, deltas, root }: Chain, delta: Buffer | undefined): Buffer | PendingRead {
    const isKnown = Buffer.isBuffer(root);
    const start = isKnown ? root : this.#inflated(root, made[deltas.length % 2]!);
    if (start instanceof PendingRead) return start;
    let data = start;
    for (let n = deltas.length - 1, from = isKnown ? -1 : root.offset; n >= 0; n -= 1) {
      const entry = deltas[n]!;
      if (from >= 0 && (this.#shared.readsVersions || n % KEEP_EACH === 0 || n === deltas.length - 1))
        this.#shared.bases.set(this.#bases, from, type, data);
      const next = n === 0 ? delta : undefined;
      const one = next ?? this.#inflated(entry, oneDelta);
      if (one instanceof PendingRead) return one;
      data = applyDelta(data, one, MAX_DELTIFIED, made[n % 2]);
      from = entry.offset;
    }
    return data;
  }

  /** Content of a chain that is too long for synchronous work. */
  async #content(chain: Chain, size: number): Promise<Buffer> {
    const { deltas, root } = chain;
    if (deltas.length === 0 && !Buffer.isBuffer(root) && size > MAX_WHOLE_BYTES) {
      return await concatChunks(inflateChunks(this.#file, root.dataAt, size), size);
    }
    const maxBytes = deltas.reduce((largest, delta) => Math.max(largest, delta.size), Math.max(sizeOf(root), size));
    if (maxBytes > MAX_DELTIFIED) throw new TooLargeToRead(`a delta of ${maxBytes} bytes`);
    if (maxBytes <= MAX_WHOLE_BYTES) return await this.#appliedLater(chain);
    const give = await this.#shared.memory.take(SERVER, { cost: 3 * maxBytes });
    try {
      return await this.#appliedLater(chain);
    } finally {
      give();
    }
  }

  async #appliedLater({ type, deltas, root }: Chain): Promise<Buffer> {
    const isKnown = Buffer.isBuffer(root);
    const bases = this.#bases;
    let data = isKnown ? root : await this.#inflatedLater(root);
    for (let n = deltas.length - 1, from = isKnown ? -1 : root.offset; n >= 0; n -= 1) {
      const entry = deltas[n]!;
      if (from >= 0 && n % KEEP_EACH === 0) this.#shared.bases.set(bases, from, type, data);
      const delta = await this.#inflatedLater(entry);
      data = applyDelta(data, delta, MAX_DELTIFIED);
      from = entry.offset;
      await this.#shared.fairness.next();
    }
    return data;
  }
}

const sizeOf = (root: Entry | Buffer): number => (Buffer.isBuffer(root) ? root.length : root.size);

function isQuick({ deltas, root }: Chain, inlineBytes: number): boolean {
  if (deltas.length > MAX_AT_ONCE || (!Buffer.isBuffer(root) && root.size > inlineBytes)) return false;
  let sum = 0;
  for (const { size } of deltas) {
    if (size > inlineBytes) return false;
    sum += size;
  }
  return sum <= MAX_DELTAS_AT_ONCE;
}
