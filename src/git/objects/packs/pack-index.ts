import { GitError } from '../../common/index.ts';
import type { BlockFile } from './block-file.ts';
import { bytesOf, SortedIds } from './sorted-ids.ts';

const MAGIC = 0xff744f63;
const FAN = 1024;
const LARGE = 0x80000000;

/** The index of one pack, version 1 or 2 (gitformat-pack). */
export class PackIndex {
  readonly ids: SortedIds;
  /** Checksum at the end of its pack. */
  readonly packSum: Buffer;
  readonly #file: BlockFile;
  readonly #version: number;
  readonly #hashBytes: number;

  private constructor(ids: SortedIds, file: BlockFile, version: number, hashBytes: number, packSum: Buffer) {
    this.ids = ids;
    this.#file = file;
    this.#version = version;
    this.#hashBytes = hashBytes;
    this.packSum = packSum;
  }

  /**
   * @param hashBytes length of object ids in this repository
   * @throws GitError `corrupt`; the file system's error if the file is missing
   */
  static async open(file: BlockFile, hashBytes: number): Promise<PackIndex> {
    const start = await bytesOf(file, 0, 8);
    const version = start.readUInt32BE(0) === MAGIC ? start.readUInt32BE(4) : 1;
    if (version > 2) throw new GitError('corrupt', `wrong index version ${version} of ${file.path}`);
    const fanAt = version === 1 ? 0 : 8;
    const stride = version === 1 ? hashBytes + 4 : hashBytes;
    const idsAt = fanAt + FAN + (version === 1 ? 4 : 0);
    const ids = await SortedIds.open({ file, fanAt, idsAt, stride, hashBytes });
    const least = fanAt + FAN + ids.count * (hashBytes + (version === 1 ? 4 : 8)) + 2 * hashBytes;
    const maxSize = least + (version === 1 ? 0 : Math.max(0, ids.count - 1) * 8);
    if (file.size < least || file.size > maxSize) throw new GitError('corrupt', `wrong index size of ${file.path}`);
    const packSum = await bytesOf(file, file.size - 2 * hashBytes, hashBytes);
    return new PackIndex(ids, file, version, hashBytes, packSum);
  }

  /** Offset in the pack of the object at an index position. */
  offsetAt(index: number): number | Promise<number> {
    const { count } = this.ids;
    const hash = this.#hashBytes;
    const at = this.#version === 1 ? FAN + index * (hash + 4) : 8 + FAN + count * (hash + 4) + index * 4;
    const file = this.#file;
    if (!file.tryRead(at, 4)) return file.load(at, 4).then(() => this.offsetAt(index));
    const offset = file.bytes.readUInt32BE(file.at);
    if (this.#version === 1 || offset < LARGE) return offset;
    return this.#largeOffset(8 + FAN + count * (hash + 8) + (offset - LARGE) * 8);
  }

  async #largeOffset(at: number): Promise<number> {
    if (at + 8 > this.#file.size - 2 * this.#hashBytes)
      throw new GitError('corrupt', `bad offset in ${this.#file.path}`);
    return Number((await bytesOf(this.#file, at, 8)).readBigUInt64BE(0));
  }
}
