import { endianness } from 'node:os';
import { join } from 'node:path';
import { GitError } from '../common/index.ts';
import type { PathIndex } from './path-index.ts';
import type { StatsIndex } from './stats-index.ts';

const SIGNATURE = 0x43475048;
const HASH_BYTES: Readonly<Record<number, number>> = { 1: 20, 2: 32 };
const HEADER = 8;
const TABLE_ROW = 12;
const FANOUT = 256 * 4;
const BLOOM_HEADER = 12;
const NONE = 0x70000000;
const FLAG = 0x80000000;
const LOW_BITS = 0x7fffffff;
const TWO_TO_32 = 2 ** 32;

interface Chunk {
  at: number;
  bytes: number;
}

/** Settings of a layer's changed-path filters. */
interface BloomSettings {
  /** Hash version, 1 or 2. */
  version: number;
  hashes: number;
}

/**
 * One file of a commit-graph chain (gitformat-commit-graph). Positions number the commits of the lower layers first,
 * then those of this layer in the order of their ids.
 */
export class GraphLayer {
  /** Number of commits in the lower layers. */
  readonly below: number;
  /** Number of commits in this layer. */
  readonly count: number;
  readonly hashBytes: number;
  /** Whether the layer has corrected commit dates. */
  readonly hasDates: boolean;
  readonly bloom: BloomSettings | null;
  /** The file. The words of commits and dates are converted to the byte order of the machine. */
  readonly bytes: Buffer;
  /** Path of the path index, whether or not it exists. */
  readonly pathIndexFile: string;
  pathIndex: PathIndex | null = null;
  /** Path of the stats index, whether or not it exists. */
  readonly statsFile: string;
  stats: StatsIndex | null = null;
  /**
   * Positions of first parents: -1 for none, lower values for damage. Walks read thousands of them, and this compact
   * array stays in the processor's cache.
   */
  readonly firstParents: Int32Array;
  /** Depth along first parents, and skip pointers; set by `rankFirstParents`. */
  readonly depths: Uint32Array;
  readonly leaps: Uint32Array;
  readonly #ids: number;
  readonly #fanout: number;
  /** Commit records as words; the first words are the id of the tree. */
  readonly #commits: Uint32Array;
  readonly #row: number;
  readonly #treeWords: number;
  readonly #edges: Chunk;
  readonly #dates: Uint32Array;
  readonly #farDates: Chunk;
  readonly #filterEnds: number;
  readonly #filters: Chunk;

  /**
   * @param bytes the whole file, with a verified checksum
   * @param below number of commits in the lower layers
   * @param indexFolder folder of the derived indexes
   * @throws GitError `corrupt` for an invalid commit-graph
   */
  constructor(bytes: Buffer, below: number, indexFolder: string) {
    this.bytes = bytes;
    this.below = below;
    this.hashBytes = hashBytesOf(bytes);
    const name = `graph-${this.sum.toString('hex')}`;
    this.pathIndexFile = join(indexFolder, `${name}.paths`);
    this.statsFile = join(indexFolder, `${name}.stats`);
    const chunks = chunksOf(bytes, this.hashBytes);
    const chunk = (id: string): Chunk => chunks.get(id) ?? { at: 0, bytes: 0 };
    this.#fanout = chunk('OIDF').at;
    if (chunk('OIDF').bytes !== FANOUT) throw damaged('fanout');
    this.count = bytes.readUInt32BE(this.#fanout + FANOUT - 4);
    for (let at = 4; at < FANOUT; at += 4) {
      if (bytes.readUInt32BE(this.#fanout + at - 4) > bytes.readUInt32BE(this.#fanout + at)) throw damaged('fanout');
    }
    this.#treeWords = this.hashBytes / 4;
    this.#row = this.#treeWords + 4;
    this.#ids = chunk('OIDL').at;
    if (chunk('OIDL').bytes !== this.count * this.hashBytes) throw damaged('ids');
    if (chunk('CDAT').bytes !== this.count * this.#row * 4) throw damaged('commits');
    this.#commits = wordsOf(bytes, chunk('CDAT'));
    this.firstParents = this.#readFirstParents();
    this.depths = new Uint32Array(this.count);
    this.leaps = new Uint32Array(this.count);
    this.#edges = chunk('EDGE');
    this.hasDates = chunk('GDA2').bytes === this.count * 4 && this.count > 0;
    this.#dates = wordsOf(bytes, this.hasDates ? chunk('GDA2') : { at: 0, bytes: 0 });
    this.#farDates = chunk('GDO2');
    this.#filterEnds = chunk('BIDX').at;
    this.#filters = chunk('BDAT');
    const filtered = chunk('BIDX').bytes === this.count * 4 && this.#filters.bytes >= BLOOM_HEADER;
    this.bloom = filtered ? this.#bloomSettings() : null;
  }

  #readFirstParents(): Int32Array {
    const positions = new Int32Array(this.count);
    const total = this.below + this.count;
    const commits = this.#commits;
    for (let index = 0, at = this.#treeWords; index < this.count; index += 1, at += this.#row) {
      const first = commits[at]!;
      positions[index] = first === NONE ? -1 : first < total ? first : -2;
    }
    return positions;
  }

  /** Checksum of the file, which names it in a chain. */
  get sum(): Buffer {
    return this.bytes.subarray(this.bytes.length - this.hashBytes);
  }

  /** Memory in bytes. */
  get heldBytes(): number {
    const derived = (this.pathIndex?.bytes ?? 0) + (this.stats?.bytes ?? 0);
    return this.bytes.length + 3 * this.firstParents.byteLength + derived;
  }

  #bloomSettings(): BloomSettings | null {
    const version = this.bytes.readUInt32BE(this.#filters.at);
    const hashes = this.bytes.readUInt32BE(this.#filters.at + 4);
    return (version === 1 || version === 2) && hashes > 0 && hashes <= 64 ? { version, hashes } : null;
  }

  /** Index in this layer of a binary id; -1 if it is not there. */
  find(id: Buffer): number {
    const { bytes, hashBytes } = this;
    const first = id[0]!;
    let low = first === 0 ? 0 : bytes.readUInt32BE(this.#fanout + 4 * (first - 1));
    let high = bytes.readUInt32BE(this.#fanout + 4 * first);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#ids + middle * hashBytes;
      const order = id.compare(bytes, at, at + hashBytes);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  /** @param index in this layer, as in the methods below */
  oid(index: number): string {
    const at = this.#ids + index * this.hashBytes;
    return this.bytes.toString('hex', at, at + this.hashBytes);
  }

  tree(index: number): string {
    const { buffer, byteOffset } = this.#commits;
    const words = Buffer.from(new Uint8Array(buffer, byteOffset + 4 * index * this.#row, this.hashBytes));
    return toOtherOrder(words).toString('hex');
  }

  /**
   * Positions of a commit's parents in order.
   * @throws GitError `corrupt` if one is outside the graph
   */
  parents(index: number): number[] {
    const at = index * this.#row + this.#treeWords;
    const first = this.#commits[at]!;
    if (first === NONE) return [];
    const second = this.#commits[at + 1]!;
    const parents = second === NONE ? [first] : second < FLAG ? [first, second] : this.#many(first, second & LOW_BITS);
    const total = this.below + this.count;
    for (const parent of parents) if (parent >= total) throw damaged('parents');
    return parents;
  }

  /** Whether a commit has several parents. */
  isMerge(index: number): boolean {
    return this.#commits[index * this.#row + this.#treeWords + 1] !== NONE;
  }

  #many(first: number, from: number): number[] {
    const parents = [first];
    for (let at = from * 4; at + 4 <= this.#edges.bytes; at += 4) {
      const edge = this.bytes.readUInt32BE(this.#edges.at + at);
      parents.push(edge & LOW_BITS);
      if (edge >= FLAG) return parents;
    }
    throw damaged('edges');
  }

  /**
   * Position of the first parent; -1 without one.
   * @throws GitError `corrupt` if it is outside the graph
   */
  firstParent(index: number): number {
    const first = this.firstParents[index]!;
    if (first < -1) throw damaged('parents');
    return first;
  }

  /** Commit date in seconds since 1970. */
  date(index: number): number {
    const at = index * this.#row + this.#treeWords + 2;
    return (this.#commits[at]! & 3) * TWO_TO_32 + this.#commits[at + 1]!;
  }

  /** Topological level: one more than the maximum of the parents; 0 if the file has none. */
  level(index: number): number {
    return this.#commits[index * this.#row + this.#treeWords + 2]! >>> 2;
  }

  /** Corrected commit date, later than those of all parents. Only valid if `hasDates`. */
  correctedDate(index: number): number {
    const offset = this.#dates[index]!;
    if (offset < FLAG) return this.date(index) + offset;
    const far = (offset & LOW_BITS) * 8;
    if (far + 8 > this.#farDates.bytes) throw damaged('dates');
    return this.date(index) + Number(this.bytes.readBigUInt64BE(this.#farDates.at + far));
  }

  /** Position of a commit's filter in `bytes`, and its length; length 0 if it has no usable one. */
  filter(index: number): { at: number; length: number } {
    const start = index === 0 ? 0 : this.bytes.readUInt32BE(this.#filterEnds + 4 * (index - 1));
    const end = this.bytes.readUInt32BE(this.#filterEnds + 4 * index);
    if (end <= start || BLOOM_HEADER + end > this.#filters.bytes) return { at: 0, length: 0 };
    return { at: this.#filters.at + BLOOM_HEADER + start, length: end - start };
  }
}

/** Error for an invalid layer. */
export const damaged = (what: string): GitError => new GitError('corrupt', `commit-graph: bad ${what}`);

/** @throws GitError `corrupt` for an invalid commit-graph */
export function hashBytesOf(bytes: Buffer): number {
  const hashBytes = bytes.length < HEADER + TABLE_ROW ? undefined : HASH_BYTES[bytes[5]!];
  if (hashBytes === undefined || bytes.readUInt32BE(0) !== SIGNATURE || bytes[4] !== 1) throw damaged('header');
  return hashBytes;
}

/** Converts between the byte order of the file and that of the machine. */
const toOtherOrder = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes.swap32() : bytes);

/** The words of a chunk, converted in place to the byte order of the machine, since walks read thousands of them. */
function wordsOf(bytes: Buffer, { at, bytes: length }: Chunk): Uint32Array {
  const inFile = bytes.subarray(at, at + length);
  // Git aligns chunks to words; other writers may not.
  const isAligned = inFile.byteOffset % 4 === 0;
  const words = isAligned ? inFile : Buffer.allocUnsafeSlow(length);
  if (!isAligned) inFile.copy(words);
  toOtherOrder(words);
  return new Uint32Array(words.buffer, words.byteOffset, length / 4);
}

function chunksOf(bytes: Buffer, hashBytes: number): Map<string, Chunk> {
  const count = bytes[6]!;
  const end = bytes.length - hashBytes;
  if (HEADER + (count + 1) * TABLE_ROW > end) throw damaged('table of contents');
  const chunks = new Map<string, Chunk>();
  const offset = (index: number) => Number(bytes.readBigUInt64BE(HEADER + index * TABLE_ROW + 4));
  for (let index = 0; index < count; index += 1) {
    const row = HEADER + index * TABLE_ROW;
    const at = offset(index);
    const next = offset(index + 1);
    if (at > next || next > end) throw damaged('table of contents');
    chunks.set(bytes.toString('latin1', row, row + 4), { at, bytes: next - at });
  }
  return chunks;
}
