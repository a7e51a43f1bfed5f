import { GitError } from '../../common/index.ts';
import type { BlockFile } from './block-file.ts';

/** Location of a table of sorted object ids. */
export interface IdTable {
  file: BlockFile;
  /** Start of the 256 counts (fan-out table). */
  fanAt: number;
  /** Start of the first record's id. */
  idsAt: number;
  /** Distance between two ids in bytes. */
  stride: number;
  hashBytes: number;
}

const GUESSES = 3;

/** A table of sorted object ids with a fan-out table, as in pack indexes and multi-pack indexes. */
export class SortedIds {
  readonly #table: IdTable;
  readonly #fan: Uint32Array;

  private constructor(table: IdTable, fan: Uint32Array) {
    this.#table = table;
    this.#fan = fan;
  }

  /** @throws GitError `corrupt` if the fan-out table is not monotonic */
  static async open(table: IdTable): Promise<SortedIds> {
    const bytes = await bytesOf(table.file, table.fanAt, 1024);
    const fan = new Uint32Array(257);
    for (let byte = 0; byte < 256; byte += 1) {
      fan[byte + 1] = bytes.readUInt32BE(byte * 4);
      if (fan[byte + 1]! < fan[byte]!) throw new GitError('corrupt', `non-monotonic index ${table.file.path}`);
    }
    return new SortedIds(table, fan);
  }

  /** Number of ids. */
  get count(): number {
    return this.#fan[256]!;
  }

  /** Index position of an id; -1 if it is not there. May wait for the disk. */
  find(id: Buffer): number | Promise<number> {
    const match = this.#search(id);
    return 'missing' in match ? this.#findLater(id, match.missing) : match.equal ? match.place : -1;
  }

  /** The id at an index position. */
  async at(index: number): Promise<Buffer> {
    const { file, idsAt, stride, hashBytes } = this.#table;
    return await bytesOf(file, idsAt + index * stride, hashBytes);
  }

  /** At most `max` ids with a prefix of hexadecimal digits. */
  async beginningWith(digits: string, max: number): Promise<string[]> {
    const { file, hashBytes } = this.#table;
    const first = Buffer.from(digits.padEnd(hashBytes * 2, '0'), 'hex');
    let match = this.#search(first);
    for (; 'missing' in match; match = this.#search(first)) await file.load(match.missing, hashBytes);
    const ids: string[] = [];
    for (let index = match.place; index < this.count && ids.length < max; index += 1) {
      const id = (await this.at(index)).toString('hex');
      if (!id.startsWith(digits)) break;
      ids.push(id);
    }
    return ids;
  }

  async #findLater(id: Buffer, missing: number): Promise<number> {
    const { file, hashBytes } = this.#table;
    await file.load(missing, hashBytes);
    return await this.find(id);
  }

  /**
   * Position of the first id that is not less than this one, or the file offset that must be loaded to determine it.
   */
  #search(id: Buffer): { place: number; equal: boolean } | { missing: number } {
    const { file, idsAt, stride, hashBytes } = this.#table;
    let low = this.#fan[id[0]!]!;
    let high = this.#fan[id[0]! + 1]!;
    // Ids are distributed evenly, so the next bytes predict the position.
    let lowest = id[0]! * 0x1000000;
    let highest = lowest + 0x1000000;
    const prefix = id.readUInt32BE(0);
    for (let guesses = 0; low < high; guesses += 1) {
      const share = guesses < GUESSES ? (prefix - lowest) / (highest - lowest) : 0.5;
      const middle = Math.min(high - 1, low + Math.floor((high - low) * share));
      const at = idsAt + middle * stride;
      if (!file.tryRead(at, hashBytes)) return { missing: at };
      if (file.end - file.at < hashBytes) throw new GitError('corrupt', `index file ${file.path} is too small`);
      const there = file.bytes.readUInt32BE(file.at);
      const order = prefix === there ? id.compare(file.bytes, file.at, file.end) : prefix - there;
      if (order === 0) return { place: middle, equal: true };
      if (order < 0) {
        high = middle;
        highest = Math.max(there, lowest + 1);
      } else {
        low = middle + 1;
        lowest = Math.min(there, highest - 1);
      }
    }
    return { place: low, equal: false };
  }
}

/** Copies bytes of a file, from the disk if necessary; throws GitError `corrupt` if it is too short. */
export async function bytesOf(file: BlockFile, offset: number, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = file.peek(offset, length);
    if (bytes !== null) {
      if (bytes.length < length) throw new GitError('corrupt', `index file ${file.path} is too small`);
      return bytes;
    }
    await file.load(offset, length);
  }
}
