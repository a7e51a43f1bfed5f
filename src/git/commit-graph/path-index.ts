import { rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { releaseWhenIdle } from '../../core/idle-memory.ts';
import { BlockFile, BlockFiles } from '../objects/index.ts';
import {
  changeBytes,
  END_BYTES,
  KEY_BYTES,
  MAGIC,
  MAX_TABLE_BYTES,
  PART_BYTES,
  pathKey,
  SALT_AT,
  SALT_BYTES,
  SLOT_BYTES,
  TOO_MANY,
} from './path-index-format.ts';
import { type BytesAt, reading } from './read-file.ts';

/** Files up to this size in bytes are held in memory. */
const SMALL = 128 * 1024;
/** Block cache for the files of all layers. */
const files = new BlockFiles({ maxOpen: 64, maxBytes: 2 * 1024 * 1024, idleMs: 60_000 });
releaseWhenIdle(() => files.release());

/** Parameters of an index's keys and changes. */
export interface Keys {
  salt: Buffer;
  hashBytes: number;
}

/** A part in the file: start of its changes, and its table. */
export interface Part {
  changesAt: number;
  table: Buffer;
}

/** An index that is being written, from the highest generation down. */
export interface PartialPathIndex {
  index: PathIndex;
  /** All changes of commits with this generation or a higher one are known. */
  floor: number;
}

/** Position of a path's changes in the file. */
interface ChangesLocation {
  at: number;
  bytes: number;
  sum: number;
}

/** The path index of one layer, with the tables in memory and the changes in the file. */
export class PathIndex {
  /** Memory in bytes. */
  readonly bytes: number;
  /** Whether the layer has too many changes for an index, which then has no content. */
  readonly isTooMuch: boolean;
  readonly #file: BlockFile;
  readonly #parts: readonly Part[];
  readonly #whole: Buffer | null;
  readonly #salt: Buffer;
  readonly #changeBytes: number;

  private constructor(file: string, { salt, hashBytes }: Keys, parts: readonly Part[] | null, whole: Buffer | null) {
    this.#salt = salt;
    this.#changeBytes = changeBytes(hashBytes);
    this.#file = new BlockFile(file, files);
    this.#parts = parts ?? [];
    this.#whole = whole;
    this.isTooMuch = parts === null;
    this.bytes = this.#parts.reduce((sum, { table }) => sum + table.length, whole?.length ?? 0);
  }

  /**
   * Loads an index.
   * @param commits and `sum` are the number of commits and the checksum of the layer
   * @returns null if it is missing, unreadable, damaged, or of another layer
   */
  static async load(file: string, commits: number, sum: Buffer): Promise<PathIndex | null> {
    try {
      return await reading(file, async (bytesAt, size) => {
        const header = size < END_BYTES ? null : await rowsOf(bytesAt, size, commits, sum);
        if (header === null) return null;
        const { rows } = header;
        const keys = { salt: header.salt, hashBytes: sum.length };
        if (rows === null) return new PathIndex(file, keys, null, null);
        const parts: Part[] = [];
        // Sequential, since the file is closed on failure and no thread may be reading it then.
        for (const { changesAt, tableAt, slots, tableSum } of rows) {
          const table = await bytesAt(tableAt, slots * SLOT_BYTES);
          if (table.length === 0 || crc32(table) !== tableSum) return null;
          parts.push({ changesAt, table });
        }
        return new PathIndex(file, keys, parts, size <= SMALL ? await bytesAt(0, size) : null);
      });
    } catch {
      // Derived data is optional.
      return null;
    }
  }

  /**
   * An index that is being written.
   * @param file contains the parts so far
   */
  static unfinished(file: string, keys: Keys, parts: readonly Part[]): PathIndex {
    return new PathIndex(file, keys, parts, null);
  }

  /** Salt of its keys. Layers indexed on top of this one reuse it (`pathKey`). */
  get salt(): Buffer {
    return this.#salt;
  }

  /** Total number of slots of its tables. */
  get slots(): number {
    return this.#parts.reduce((sum, { table }) => sum + table.length / SLOT_BYTES, 0);
  }

  /**
   * Key of the path in a slot; null for an empty slot and for a path with an earlier slot.
   * @param slot counted over all tables
   */
  keyAt(slot: number): Buffer | null {
    let at = slot * SLOT_BYTES;
    for (const [nth, { table }] of this.#parts.entries()) {
      if (at >= table.length) {
        at -= table.length;
        continue;
      }
      if (table.readUInt32BE(at + KEY_BYTES + 4) === 0) return null;
      const key = table.subarray(at, at + KEY_BYTES);
      const isKnown = this.#parts.slice(0, nth).some((part) => find(part, key, this.#changeBytes) !== null);
      return isKnown ? null : key;
    }
    return null;
  }

  /** Number of commits of the layer that changed a path. @param path as bytes, without a trailing slash */
  countOf(path: Uint8Array): number {
    return this.#find(pathKey(this.#salt, path)).reduce((sum, { bytes }) => sum + bytes / this.#changeBytes, 0);
  }

  /**
   * Changes of a path in the layer, by part, each in the order of commits.
   * @param path as bytes, without a trailing slash
   * @returns null if they cannot be read; a damaged file is removed, so that it is rebuilt
   */
  async changesOf(path: Uint8Array): Promise<readonly Buffer[] | null> {
    return this.isTooMuch ? null : await this.changesOfKey(pathKey(this.#salt, path));
  }

  /** Like `changesOf`, for the key of a path. */
  async changesOfKey(key: Buffer): Promise<readonly Buffer[] | null> {
    const locations = this.#find(key);
    const changes = await this.#read(locations).catch(() => null);
    if (changes === null) return null;
    if (changes.every((bytes, nth) => crc32(bytes) === locations[nth]!.sum)) return changes;
    this.#file.invalidate();
    await rm(this.#file.path, { force: true }).catch(() => {});
    return null;
  }

  #find(key: Buffer): ChangesLocation[] {
    return this.#parts.map((part) => find(part, key, this.#changeBytes)).filter((each) => each !== null);
  }

  async #read(locations: readonly ChangesLocation[]): Promise<Buffer[]> {
    const whole = this.#whole;
    if (whole !== null) return locations.map(({ at, bytes }) => whole.subarray(at, at + bytes));
    const changes: Buffer[] = [];
    for (const { at, bytes } of locations) changes.push(await this.#bytes(at, bytes));
    return changes;
  }

  async #bytes(at: number, length: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#file.peek(at, length);
      if (bytes !== null) return bytes;
      await this.#file.load(at, length);
    }
  }
}

interface Row {
  changesAt: number;
  tableAt: number;
  slots: number;
  tableSum: number;
}

/** @returns null as `rows` if the layer has too many changes for an index */
async function rowsOf(
  bytesAt: BytesAt,
  size: number,
  commits: number,
  sum: Buffer,
): Promise<{ salt: Buffer; rows: Row[] | null } | null> {
  const end = await bytesAt(size - END_BYTES, END_BYTES);
  if (end.length === 0 || !end.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (end.readUInt32BE(12) !== commits || !end.subarray(16, 16 + sum.length).equals(sum)) return null;
  const parts = end.readUInt32BE(8);
  const rowBytes = parts === TOO_MANY ? 0 : parts * PART_BYTES;
  if (rowBytes > size - END_BYTES) return null;
  const rows = rowBytes === 0 ? Buffer.alloc(0) : await bytesAt(size - END_BYTES - rowBytes, rowBytes);
  if (crc32(end.subarray(0, -4), crc32(rows)) !== end.readUInt32BE(END_BYTES - 4)) return null;
  const salt = end.subarray(SALT_AT, SALT_AT + SALT_BYTES);
  if (parts === TOO_MANY) return { salt, rows: null };
  const partRows = Array.from({ length: parts }, (_, nth) => ({
    changesAt: rows.readUInt32BE(nth * PART_BYTES),
    tableAt: rows.readUInt32BE(nth * PART_BYTES + 4),
    slots: rows.readUInt32BE(nth * PART_BYTES + 8),
    tableSum: rows.readUInt32BE(nth * PART_BYTES + 12),
  }));
  const tableBytes = partRows.reduce((sum, { slots }) => sum + slots * SLOT_BYTES, 0);
  return tableBytes > MAX_TABLE_BYTES ? null : { salt, rows: partRows };
}

/** Looks up a path in the table of a part by linear probing. */
function find({ table, changesAt }: Part, key: Buffer, bytesEach: number): ChangesLocation | null {
  const slots = table.length / SLOT_BYTES;
  const first = key.readUInt32BE(0) % slots;
  for (let step = 0; step < slots; step += 1) {
    const at = ((first + step) % slots) * SLOT_BYTES;
    const count = table.readUInt32BE(at + KEY_BYTES + 4);
    if (count === 0) return null;
    if (key.compare(table, at, at + KEY_BYTES) !== 0) continue;
    const begin = changesAt + table.readUInt32BE(at + KEY_BYTES) * bytesEach;
    return { at: begin, bytes: count * bytesEach, sum: table.readUInt32BE(at + KEY_BYTES + 8) };
  }
  return null;
}
