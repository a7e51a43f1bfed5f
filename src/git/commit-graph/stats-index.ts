import { crc32 } from 'node:zlib';
import type { DiffStats } from '../line-diff/line-diff.ts';
import { reading } from './read-file.ts';

/**
 * A stats index lies beside one layer of a commit-graph and says how many lines each of its commits adds and deletes against its first
 * parent, as git counts them. It is derived: what it does not have is asked of git. The file, numbers with the highest byte first:
 *
 * - for each commit, in the order of the layer, additions and deletions, 4 bytes each; all ones in both where they are not known yet,
 *   `LEFT` in the second where git is to be asked for good;
 * - the end: `MAGIC`, how many are not known yet, the layer's commits and check sum (with room for SHA-256), the check sum of all that
 *   stands before it.
 */
const MAGIC = Buffer.from('statidx1', 'latin1');
const VALUE_BYTES = 8;
const END_BYTES = 8 + 4 + 4 + 32 + 4;
const SPECIAL = 0xffffffff;
const UNKNOWN = 0xffffffff;
const LEFT = 0xfffffffe;

/** How many lines the commits of one layer add and delete, as far as that is known. */
export class StatsIndex {
  /** The file. */
  readonly #bytes: Buffer;
  readonly #end: number;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length - END_BYTES;
  }

  /** Of a layer of which nothing is known. @param sum its check sum */
  static empty(commits: number, sum: Buffer): StatsIndex {
    const bytes = Buffer.alloc(commits * VALUE_BYTES + END_BYTES, UNKNOWN);
    const end = bytes.subarray(commits * VALUE_BYTES).fill(0);
    MAGIC.copy(end);
    end.writeUInt32BE(commits, 8);
    end.writeUInt32BE(commits, 12);
    sum.copy(end, 16);
    return new StatsIndex(bytes);
  }

  /**
   * Reads an index.
   * @param commits and `sum`, number of commits and check sum of the layer
   * @returns null where there is none that can be read, or one that is damaged or of another layer
   */
  static async load(file: string, commits: number, sum: Buffer): Promise<StatsIndex | null> {
    const wanted = commits * VALUE_BYTES + END_BYTES;
    try {
      const bytes = await reading(file, async (bytesAt, size) => (size === wanted ? await bytesAt(0, size) : null));
      if (bytes?.length !== wanted || crc32(bytes.subarray(0, -4)) !== bytes.readUInt32BE(wanted - 4)) return null;
      const end = bytes.subarray(-END_BYTES);
      if (!end.subarray(0, MAGIC.length).equals(MAGIC) || end.readUInt32BE(12) !== commits) return null;
      return end.subarray(16, 16 + sum.length).equals(sum) ? new StatsIndex(bytes) : null;
    } catch {
      // What is derived is done without.
      return null;
    }
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes.length;
  }

  /** Of how many commits nothing is known yet. */
  get unknown(): number {
    return this.#bytes.readUInt32BE(this.#end + 8);
  }

  /** Whether nothing is known of a commit yet. @param index within the layer, as of all that follow */
  isUnknown(index: number): boolean {
    return this.#second(index) === UNKNOWN && this.#first(index) === SPECIAL;
  }

  /** The lines of a commit; null where git is to be asked. */
  of(index: number): DiffStats | null {
    const additions = this.#first(index);
    const deletions = this.#second(index);
    return additions === SPECIAL && deletions >= LEFT ? null : { additions, deletions };
  }

  /** The same with memory of its own, to be changed. */
  copy(): StatsIndex {
    return new StatsIndex(Buffer.from(this.#bytes));
  }

  /** Enters what a commit adds and deletes, null for what git gave no answer to. */
  enter(index: number, stats: DiffStats | null): void {
    const fits = stats !== null && stats.additions < SPECIAL && stats.deletions < SPECIAL;
    if (this.isUnknown(index)) this.#bytes.writeUInt32BE(this.unknown - 1, this.#end + 8);
    this.#bytes.writeUInt32BE(fits ? stats.additions : SPECIAL, index * VALUE_BYTES);
    this.#bytes.writeUInt32BE(fits ? stats.deletions : LEFT, index * VALUE_BYTES + 4);
  }

  /** The file as it is to be written. */
  file(): Buffer {
    this.#bytes.writeUInt32BE(crc32(this.#bytes.subarray(0, -4)), this.#bytes.length - 4);
    return this.#bytes;
  }

  #first(index: number): number {
    return this.#bytes.readUInt32BE(index * VALUE_BYTES);
  }

  #second(index: number): number {
    return this.#bytes.readUInt32BE(index * VALUE_BYTES + 4);
  }
}
