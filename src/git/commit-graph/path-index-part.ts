import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { changeBytes, KEY_BYTES, KIND_BITS, NOTHING, pathKey, SLOT_BYTES } from './path-index-format.ts';

/** Maximum number of changes of a part. During the write each takes some 30 bytes of memory, plus the paths. */
export const PART_CHANGES = 250_000;
/** Extra room for the changes in one chunk of git's output, at some 100 bytes each. */
const ROOM = 50_000;
/** Number of items sorted before yielding. */
const STEPS = 4_000;

/** Serialized form of a finished part. */
export interface PartBytes {
  changes: Buffer;
  table: Buffer;
  slots: number;
}

/** Collects changes by commit and sorts them by path. */
export class PathIndexPart {
  /** Number of changes so far. */
  size = 0;
  readonly #paths = new Map<string, number>();
  readonly #pathOf: Uint32Array;
  readonly #placeOf: Uint32Array;
  readonly #kinds: Uint8Array;
  readonly #ids: Buffer;
  readonly #hashBytes: number;
  readonly #changeBytes: number;
  readonly #salt: Buffer;
  readonly #changes: number;
  readonly #room: number;

  /** @param hashBytes length of ids; `salt` of the index; `changes` is the number at which the part is full */
  constructor(hashBytes: number, salt: Buffer, changes: number) {
    this.#changes = changes;
    this.#room = changes + ROOM;
    this.#pathOf = new Uint32Array(this.#room);
    this.#placeOf = new Uint32Array(this.#room);
    this.#kinds = new Uint8Array(this.#room);
    this.#hashBytes = hashBytes;
    this.#changeBytes = changeBytes(hashBytes);
    this.#salt = salt;
    this.#ids = Buffer.alloc(this.#room * hashBytes);
  }

  get isFull(): boolean {
    return this.size >= this.#changes;
  }

  /**
   * @param layerIndex of the commit; `path` as latin1
   * @param bytes contain the hexadecimal new id from `at` on
   */
  add(layerIndex: number, path: string, kind: number, bytes: Buffer, at: number): void {
    let number = this.#paths.get(path);
    if (number === undefined) {
      number = this.#paths.size;
      this.#paths.set(path, number);
    }
    const index = this.size;
    this.#pathOf[index] = number;
    this.#placeOf[index] = layerIndex;
    this.#kinds[index] = kind;
    const from = index * this.#hashBytes;
    for (let nth = 0; nth < this.#hashBytes; nth += 1) {
      this.#ids[from + nth] = (digit(bytes[at + 2 * nth]!) << 4) | digit(bytes[at + 2 * nth + 1]!);
    }
    this.size = index + 1;
  }

  /** Returns all changes grouped by path, in the order of commits for each path. */
  async finish(): Promise<PartBytes> {
    const begin = new Uint32Array(this.#paths.size + 1);
    for (let index = 0; index < this.size; index += 1) begin[this.#pathOf[index]! + 1]! += 1;
    for (let path = 0; path < this.#paths.size; path += 1) begin[path + 1]! += begin[path]!;
    const count = new Uint32Array(this.#paths.size);
    const changes = Buffer.alloc(this.size * this.#changeBytes);
    let steps = 0;
    for (const start of await this.#commitsByPlace()) {
      const layerIndex = this.#placeOf[start]!;
      for (let index = start; index < this.size && this.#placeOf[index] === layerIndex; index += 1) {
        steps += 1;
        if (steps % STEPS === 0) await setImmediate();
        this.#put(index, changes, begin, count);
      }
    }
    return { changes, ...(await this.#table(changes, begin, count)) };
  }

  /** Start of each commit's changes, in the order of commits. Numbers are sorted without a comparison function. */
  async #commitsByPlace(): Promise<number[]> {
    const keys: number[] = [];
    for (let index = 0; index < this.size; index += 1) {
      const layerIndex = this.#placeOf[index]!;
      if (index === 0 || layerIndex !== this.#placeOf[index - 1]) keys.push(layerIndex * this.#room + index);
    }
    await setImmediate();
    const sorted = Float64Array.from(keys).sort();
    await setImmediate();
    return [...sorted].map((key) => key % this.#room);
  }

  #put(index: number, changes: Buffer, begin: Uint32Array, count: Uint32Array): void {
    const path = this.#pathOf[index]!;
    const layerIndex = this.#placeOf[index]!;
    const kind = this.#kinds[index]!;
    let at = (begin[path]! + count[path]!) * this.#changeBytes;
    // A file that replaces a folder appears as two changes: a removal and an addition.
    if (count[path]! > 0 && changes.readUInt32BE(at - this.#changeBytes) >>> KIND_BITS === layerIndex) {
      if (kind === NOTHING) return;
      at -= this.#changeBytes;
    } else {
      count[path]! += 1;
    }
    changes.writeUInt32BE(layerIndex * 2 ** KIND_BITS + kind, at);
    this.#ids.copy(changes, at + 4, index * this.#hashBytes, (index + 1) * this.#hashBytes);
  }

  async #table(changes: Buffer, begin: Uint32Array, count: Uint32Array): Promise<{ table: Buffer; slots: number }> {
    const slots = Math.ceil(this.#paths.size * 1.5) + 1;
    const table = Buffer.alloc(slots * SLOT_BYTES);
    let step = 0;
    for (const [path, number] of this.#paths) {
      step += 1;
      if (step % (STEPS / 2) === 0) await setImmediate();
      const key = pathKey(this.#salt, Buffer.from(path, 'latin1'));
      let slot = key.readUInt32BE(0) % slots;
      while (table.readUInt32BE(slot * SLOT_BYTES + KEY_BYTES + 4) !== 0) slot = (slot + 1) % slots;
      const at = slot * SLOT_BYTES;
      const first = begin[number]!;
      const own = changes.subarray(first * this.#changeBytes, (first + count[number]!) * this.#changeBytes);
      key.copy(table, at);
      table.writeUInt32BE(begin[number]!, at + KEY_BYTES);
      table.writeUInt32BE(count[number]!, at + KEY_BYTES + 4);
      table.writeUInt32BE(crc32(own), at + KEY_BYTES + 8);
    }
    return { table, slots };
  }
}

const digit = (code: number): number => (code < 0x3a ? code - 0x30 : code - 0x57);
