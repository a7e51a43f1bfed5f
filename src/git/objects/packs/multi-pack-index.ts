import { GitError } from '../../common/index.ts';
import type { BlockFile } from './block-file.ts';
import { bytesOf, SortedIds } from './sorted-ids.ts';

const SIGNATURE = 0x4d494458;
const HEADER = 12;
const LARGE = 0x80000000;
/** Maximum size in bytes of the pack names in an index. */
const MAX_NAMES = 4 * 1024 * 1024;

/** A multi-pack index (gitformat-pack, "multi-pack-index"). */
export class MultiPackIndex {
  readonly ids: SortedIds;
  /** Names of its packs without extension (`pack-...`). */
  readonly packs: ReadonlySet<string>;
  /** The same names by pack number. */
  readonly #stems: readonly string[];
  readonly #file: BlockFile;
  readonly #offsets: Chunk;
  readonly #large: Chunk | undefined;

  private constructor(
    file: BlockFile,
    ids: SortedIds,
    stems: readonly string[],
    offsets: Chunk,
    large: Chunk | undefined,
  ) {
    this.#file = file;
    this.ids = ids;
    this.#stems = stems;
    this.packs = new Set(stems);
    this.#offsets = offsets;
    this.#large = large;
  }

  /** @throws GitError `corrupt`; the file system's error if the file is missing */
  static async open(file: BlockFile, hashBytes: number): Promise<MultiPackIndex> {
    const bad = () => new GitError('corrupt', `corrupt index ${file.path}`);
    const start = await bytesOf(file, 0, HEADER);
    const [version, hash, chunkCount, bases] = [start[4], start[5], start[6]!, start[7]];
    if (start.readUInt32BE(0) !== SIGNATURE || version !== 1 || bases !== 0) throw bad();
    if (hash !== (hashBytes === 20 ? 1 : 2)) throw bad();
    const table = await bytesOf(file, HEADER, (chunkCount + 1) * 12);
    const chunks = new Map<string, Chunk>();
    for (let n = 0; n < chunkCount; n += 1) {
      const at = Number(table.readBigUInt64BE(n * 12 + 4));
      const end = Number(table.readBigUInt64BE(n * 12 + 16));
      if (at > end || end > file.size) throw bad();
      chunks.set(table.toString('latin1', n * 12, n * 12 + 4), { at, size: end - at });
    }
    const [names, fan, lookup, offsets] = ['PNAM', 'OIDF', 'OIDL', 'OOFF'].map((name) => chunks.get(name));
    if (!names || !fan || !lookup || !offsets || fan.size !== 1024 || names.size > MAX_NAMES) throw bad();
    const ids = await SortedIds.open({ file, fanAt: fan.at, idsAt: lookup.at, stride: hashBytes, hashBytes });
    if (lookup.size !== ids.count * hashBytes || offsets.size !== ids.count * 8) throw bad();
    const text = (await bytesOf(file, names.at, names.size)).toString('latin1');
    const packs = text.split('\0').filter((name) => name !== '');
    if (packs.length !== start.readUInt32BE(8)) throw bad();
    const stems = packs.map((name) => name.replace(/\.(?:idx|pack)$/, ''));
    return new MultiPackIndex(file, ids, stems, offsets, chunks.get('LOFF'));
  }

  /** Pack and offset of the object at an index position. */
  positionAt(index: number): Position | Promise<Position> {
    const file = this.#file;
    const at = this.#offsets.at + index * 8;
    if (!file.tryRead(at, 8)) return file.load(at, 8).then(() => this.positionAt(index));
    const pack = this.#stems[file.bytes.readUInt32BE(file.at)];
    const offset = file.bytes.readUInt32BE(file.at + 4);
    if (pack === undefined) throw this.#bad();
    return offset < LARGE || this.#large === undefined
      ? { pack, offset }
      : this.#far(pack, this.#large, offset - LARGE);
  }

  async #far(pack: string, large: Chunk, index: number): Promise<Position> {
    const at = index * 8;
    if (at + 8 > large.size) throw this.#bad();
    return { pack, offset: Number((await bytesOf(this.#file, large.at + at, 8)).readBigUInt64BE(0)) };
  }

  #bad(): GitError {
    return new GitError('corrupt', `bad offset in ${this.#file.path}`);
  }
}

/** Position of an object. */
interface Position {
  /** Name of its pack without extension. */
  pack: string;
  offset: number;
}

interface Chunk {
  at: number;
  size: number;
}
