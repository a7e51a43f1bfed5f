import { KIND_BITS, KINDS, NOTHING } from '../path-index-format.ts';
import type { FirstParentOrder } from './first-parent-order.ts';

/**
 * Version of a file in a commit: the id of its content, or of a commit after `SUBMODULE`; empty if it does not exist.
 */
export type Version = string;
export const SUBMODULE = 's';

const FOLDER = KINDS.indexOf('40000');
const MODULE = KINDS.indexOf('160000');

/** Changes of one path in one layer. */
export interface LayerChanges {
  /** Number of commits in the lower layers. */
  below: number;
  changes: readonly Buffer[];
}

/** Receives a commit's position, its version, and that of its first parent. */
type OnChange = (position: number, before: Version, after: Version) => Promise<void>;

/** Derives the changes of commits at a path from the recorded new versions. */
export class PathVersions {
  readonly #order: FirstParentOrder;
  readonly #each: number;
  #positions = new Int32Array(1_024);
  #kinds = new Uint8Array(1_024);
  /** Location of ids: index of the buffer, and offset in it. */
  #bytes = new Uint16Array(1_024);
  #ats = new Int32Array(1_024);
  #above = new Int32Array(1_024);
  #count = 0;

  /** @param each size of a change in bytes */
  constructor(order: FirstParentOrder, each: number) {
    this.#order = order;
    this.#each = each;
  }

  /**
   * Reports the changes of files at a path, a parent's before those of its children.
   * @param isReported whether to report a commit
   */
  async tell(
    layers: readonly LayerChanges[],
    isReported: (position: number) => boolean,
    onChange: OnChange,
  ): Promise<void> {
    const buffers = layers.flatMap(({ changes }) => changes);
    if (!this.#read(layers, isReported)) return;
    const { starts, ends } = this.#order;
    const count = this.#count;
    // Sorting numbers in a typed array needs no comparison function.
    const keys = new Float64Array(count);
    for (let nth = 0; nth < count; nth += 1) keys[nth] = starts[this.#positions[nth]!]! * count + nth;
    keys.sort();
    const above = this.#above;
    let depth = 0;
    for (const key of keys) {
      const nth = key % count;
      const position = this.#positions[nth]!;
      while (depth > 0 && ends[this.#positions[above[depth - 1]!]!]! < starts[position]!) depth -= 1;
      if (isReported(position)) {
        const before = depth === 0 ? '' : this.#versionAt(above[depth - 1]!, buffers);
        const after = this.#versionAt(nth, buffers);
        if (before !== after) await onChange(position, before, after);
      }
      above[depth] = nth;
      depth += 1;
    }
  }

  /** @returns whether there may be requested changes of files among them */
  #read(layers: readonly LayerChanges[], isReported: (position: number) => boolean): boolean {
    this.#count = 0;
    let [isFile, isAny] = [false, false];
    let number = 0;
    for (const { below, changes } of layers) {
      for (const bytes of changes) {
        this.#reserve(bytes.length / this.#each);
        for (let at = 0; at < bytes.length; at += this.#each) {
          const word = bytes.readUInt32BE(at);
          const kind = word & (2 ** KIND_BITS - 1);
          const position = below + (word >>> KIND_BITS);
          isFile ||= kind !== NOTHING && kind !== FOLDER;
          isAny ||= isReported(position);
          this.#positions[this.#count] = position;
          this.#kinds[this.#count] = kind;
          this.#bytes[this.#count] = number;
          this.#ats[this.#count] = at + 4;
          this.#count += 1;
        }
        number += 1;
      }
    }
    return isFile && isAny;
  }

  #reserve(changes: number): void {
    const least = this.#count + changes;
    if (least <= this.#positions.length) return;
    const copied = <T extends Int32Array | Uint16Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#positions = copied(this.#positions, new Int32Array(2 * least));
    this.#kinds = copied(this.#kinds, new Uint8Array(2 * least));
    this.#bytes = copied(this.#bytes, new Uint16Array(2 * least));
    this.#ats = copied(this.#ats, new Int32Array(2 * least));
    this.#above = new Int32Array(2 * least);
  }

  #versionAt(nth: number, buffers: readonly Buffer[]): Version {
    const kind = this.#kinds[nth]!;
    if (kind === NOTHING || kind === FOLDER) return '';
    const at = this.#ats[nth]!;
    const id = buffers[this.#bytes[nth]!]!.toString('hex', at, at + this.#each - 4);
    return kind === MODULE ? SUBMODULE + id : id;
  }
}
