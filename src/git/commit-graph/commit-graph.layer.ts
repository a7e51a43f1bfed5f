import { endianness } from 'node:os';
import { join } from 'node:path';
import { GitError } from '../git.errors.ts';
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

/** How the changed-path filters of a layer are made. */
interface BloomSettings {
  /** 1 or 2: which way of hashing. */
  version: number;
  hashes: number;
}

/**
 * One file of a commit-graph, by git's documented format (gitformat-commit-graph). Commits have positions: those of the
 * layers below come first, then this one's in the order of their ids.
 */
export class GraphLayer {
  /** Commits of the layers below. */
  readonly below: number;
  /** Commits of this layer. */
  readonly count: number;
  readonly hashBytes: number;
  /** Whether it has corrected commit dates. */
  readonly hasDates: boolean;
  readonly bloom: BloomSettings | null;
  /** The file, but for the words of commits and dates, which are in the order of the machine. */
  readonly bytes: Buffer;
  /** Where its path index is, once there is one. */
  readonly pathIndexFile: string;
  pathIndex: PathIndex | null = null;
  /** Where its stats index is, once there is one. */
  readonly statsFile: string;
  stats: StatsIndex | null = null;
  /**
   * Positions of the first parents: -1 for none, less for what is damaged. Walks along them go through thousands, and these
   * few bytes stay in the processor's cache.
   */
  readonly firstParents: Int32Array;
  /** How far back along them one comes, and where to leap to; once `rankFirstParents` has been there. */
  readonly depths: Uint32Array;
  readonly leaps: Uint32Array;
  readonly #ids: number;
  readonly #fanout: number;
  /** The commits: so many words each, first those of the id of the tree. */
  readonly #commits: Uint32Array;
  readonly #row: number;
  readonly #treeWords: number;
  readonly #edges: Chunk;
  readonly #dates: Uint32Array;
  readonly #farDates: Chunk;
  readonly #filterEnds: number;
  readonly #filters: Chunk;

  /**
   * @param bytes the whole file, whose check sum has been looked at
   * @param below how many commits the layers below have
   * @param indexFolder where what is derived of it lies
   * @throws GitError `corrupt` for anything that is no commit-graph
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
    const found = new Int32Array(this.count);
    const most = this.below + this.count;
    const commits = this.#commits;
    for (let index = 0, at = this.#treeWords; index < this.count; index += 1, at += this.#row) {
      const first = commits[at]!;
      found[index] = first === NONE ? -1 : first < most ? first : -2;
    }
    return found;
  }

  /** The check sum of the file, by which a chain names it. */
  get sum(): Buffer {
    return this.bytes.subarray(this.bytes.length - this.hashBytes);
  }

  /** Bytes of memory. */
  get heldBytes(): number {
    const derived = (this.pathIndex?.bytes ?? 0) + (this.stats?.bytes ?? 0);
    return this.bytes.length + 3 * this.firstParents.byteLength + derived;
  }

  #bloomSettings(): BloomSettings | null {
    const version = this.bytes.readUInt32BE(this.#filters.at);
    const hashes = this.bytes.readUInt32BE(this.#filters.at + 4);
    return (version === 1 || version === 2) && hashes > 0 && hashes <= 64 ? { version, hashes } : null;
  }

  /** The place within this layer of an id given as bytes; -1 where it has none. */
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

  /** @param index within this layer, as of all that follow */
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
   * The positions of a commit's parents in their order.
   * @throws GitError `corrupt` where one lies outside the graph
   */
  parents(index: number): number[] {
    const at = index * this.#row + this.#treeWords;
    const first = this.#commits[at]!;
    if (first === NONE) return [];
    const second = this.#commits[at + 1]!;
    const parents = second === NONE ? [first] : second < FLAG ? [first, second] : this.#many(first, second & LOW_BITS);
    const most = this.below + this.count;
    for (const parent of parents) if (parent >= most) throw damaged('parents');
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
   * The position of the first parent; -1 without one.
   * @throws GitError `corrupt` where it lies outside the graph
   */
  firstParent(index: number): number {
    const first = this.firstParents[index]!;
    if (first < -1) throw damaged('parents');
    return first;
  }

  /** When it was committed, in seconds since 1970. */
  date(index: number): number {
    const at = index * this.#row + this.#treeWords + 2;
    return (this.#commits[at]! & 3) * TWO_TO_32 + this.#commits[at + 1]!;
  }

  /** One more than the highest level of a parent; 0 where the file does not tell. */
  level(index: number): number {
    return this.#commits[index * this.#row + this.#treeWords + 2]! >>> 2;
  }

  /** The date, moved behind those of all parents; only where the layer has corrected dates. */
  correctedDate(index: number): number {
    const offset = this.#dates[index]!;
    if (offset < FLAG) return this.date(index) + offset;
    const far = (offset & LOW_BITS) * 8;
    if (far + 8 > this.#farDates.bytes) throw damaged('dates');
    return this.date(index) + Number(this.bytes.readBigUInt64BE(this.#farDates.at + far));
  }

  /** Where a commit's filter lies in `bytes`, and its length; a length of 0 where it has none that can be used. */
  filter(index: number): { at: number; length: number } {
    const start = index === 0 ? 0 : this.bytes.readUInt32BE(this.#filterEnds + 4 * (index - 1));
    const end = this.bytes.readUInt32BE(this.#filterEnds + 4 * index);
    if (end <= start || BLOOM_HEADER + end > this.#filters.bytes) return { at: 0, length: 0 };
    return { at: this.#filters.at + BLOOM_HEADER + start, length: end - start };
  }
}

/** What is thrown of a layer that is none. */
export const damaged = (what: string): GitError => new GitError('corrupt', `commit-graph: bad ${what}`);

/** @throws GitError `corrupt` for what is no commit-graph */
export function hashBytesOf(bytes: Buffer): number {
  const hashBytes = bytes.length < HEADER + TABLE_ROW ? undefined : HASH_BYTES[bytes[5]!];
  if (hashBytes === undefined || bytes.readUInt32BE(0) !== SIGNATURE || bytes[4] !== 1) throw damaged('header');
  return hashBytes;
}

/** From the order of the file into that of the machine, or back, where these differ. */
const toOtherOrder = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes.swap32() : bytes);

/** The words of a chunk, brought into the order of the machine where they are: walks read them by the thousand. */
function wordsOf(bytes: Buffer, { at, bytes: length }: Chunk): Uint32Array {
  const inFile = bytes.subarray(at, at + length);
  // Git puts them where words can be read; others may not.
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
