import { crc32 } from 'node:zlib';
import type { DiffStats } from '../line-diff/index.ts';
import { reading } from './read-file.ts';

/**
 * A stats index is a sidecar file of one commit-graph layer. It records how many lines each of its commits adds and
 * deletes against its first parent, as git counts them. It is derived: git is asked for missing values. File format,
 * with big-endian numbers:
 *
 * - for each commit, in the order of the layer, additions and deletions, 4 bytes each; all ones in both if unknown,
 *   `LEFT` in the second if git must always be asked;
 * - the trailer: `MAGIC`, number of unknown commits, number of commits and checksum of the layer (with room for
 *   SHA-256), checksum of everything before it.
 */
const MAGIC = Buffer.from('statidx1', 'latin1');
const VALUE_BYTES = 8;
const END_BYTES = 8 + 4 + 4 + 32 + 4;
const SPECIAL = 0xffffffff;
const UNKNOWN = 0xffffffff;
const LEFT = 0xfffffffe;

/** Line counts of the commits of one layer, as far as they are known. */
export class StatsIndex {
  /** Content of the file. */
  readonly #bytes: Buffer;
  readonly #end: number;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length - END_BYTES;
  }

  /** An index without any values. @param sum checksum of the layer */
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
   * Loads an index.
   * @param commits and `sum` are the number of commits and the checksum of the layer
   * @returns null if it is missing, unreadable, damaged, or of another layer
   */
  static async load(file: string, commits: number, sum: Buffer): Promise<StatsIndex | null> {
    const expectedSize = commits * VALUE_BYTES + END_BYTES;
    try {
      const bytes = await reading(file, async (bytesAt, size) =>
        size === expectedSize ? await bytesAt(0, size) : null,
      );
      if (bytes?.length !== expectedSize || crc32(bytes.subarray(0, -4)) !== bytes.readUInt32BE(expectedSize - 4))
        return null;
      const end = bytes.subarray(-END_BYTES);
      if (!end.subarray(0, MAGIC.length).equals(MAGIC) || end.readUInt32BE(12) !== commits) return null;
      return end.subarray(16, 16 + sum.length).equals(sum) ? new StatsIndex(bytes) : null;
    } catch {
      // Derived data is optional.
      return null;
    }
  }

  /** Memory in bytes. */
  get bytes(): number {
    return this.#bytes.length;
  }

  /** Number of commits without a value. */
  get unknown(): number {
    return this.#bytes.readUInt32BE(this.#end + 8);
  }

  /** Whether a commit has no value yet. @param index in the layer, as in the methods below */
  isUnknown(index: number): boolean {
    return this.#second(index) === UNKNOWN && this.#first(index) === SPECIAL;
  }

  /** Line counts of a commit; null if git must be asked. */
  of(index: number): DiffStats | null {
    const additions = this.#first(index);
    const deletions = this.#second(index);
    return additions === SPECIAL && deletions >= LEFT ? null : { additions, deletions };
  }

  /** A mutable copy. */
  copy(): StatsIndex {
    return new StatsIndex(Buffer.from(this.#bytes));
  }

  /** Records the line counts of a commit; null if git gave no answer. */
  enter(index: number, stats: DiffStats | null): void {
    const fits = stats !== null && stats.additions < SPECIAL && stats.deletions < SPECIAL;
    if (this.isUnknown(index)) this.#bytes.writeUInt32BE(this.unknown - 1, this.#end + 8);
    this.#bytes.writeUInt32BE(fits ? stats.additions : SPECIAL, index * VALUE_BYTES);
    this.#bytes.writeUInt32BE(fits ? stats.deletions : LEFT, index * VALUE_BYTES + 4);
  }

  /** Content of the file to write. */
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
