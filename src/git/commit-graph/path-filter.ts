import type { GraphLayer } from './commit-graph.layer.ts';

const SEEDS = [0x293ae76f, 0x7e646e2c] as const;

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/**
 * 32-bit MurmurHash3.
 * @param signed as git's version 1 filters on machines with signed `char`: bytes from 128 on are sign-extended
 */
export function murmur3(seed: number, data: Uint8Array, signed = false): number {
  const byte = (at: number): number => (signed && data[at]! > 127 ? data[at]! | 0xffffff00 : data[at]!);
  const mixed = (word: number) => Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
  let hash = seed;
  const whole = data.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    const word = byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    hash = (Math.imul(rotate(hash ^ mixed(word), 13), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = data.length - 1; at >= whole; at -= 1) rest ^= byte(at) << (8 * (at - whole));
  if (whole < data.length) hash ^= mixed(rest);
  hash ^= data.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A path and its parent folders as keys of changed-path filters. */
export class PathFilter {
  readonly #path: Uint8Array;
  /** Computed on demand: unused if there is a path index. */
  #made: { plain: Uint32Array; signed: Uint32Array | null } | undefined;

  /** @param path as bytes, without a trailing slash */
  constructor(path: Uint8Array) {
    this.#path = path;
  }

  /**
   * Two hashes for the path and for each parent folder; `signed`: hashes of machines with signed characters, if
   * different.
   */
  get #hashes(): { plain: Uint32Array; signed: Uint32Array | null } {
    if (this.#made !== undefined) return this.#made;
    const path = this.#path;
    const names: Uint8Array[] = [path];
    for (let at = path.length - 1; at > 0; at -= 1) if (path[at] === 0x2f) names.push(path.subarray(0, at));
    const hashes = (signed: boolean) => {
      return Uint32Array.from(names.flatMap((name) => SEEDS.map((seed) => murmur3(seed, name, signed))));
    };
    this.#made = { plain: hashes(false), signed: path.some((byte) => byte > 127) ? hashes(true) : null };
    return this.#made;
  }

  /** Whether a commit may have changed the path against its first parent; false means that it certainly has not. */
  mayChange(layer: GraphLayer, index: number): boolean {
    if (layer.bloom === null) return true;
    const { at, length } = layer.filter(index);
    if (length === 0) return true;
    const { version, hashes } = layer.bloom;
    const { plain, signed } = this.#hashes;
    if (hasAll(layer.bytes, at, length, plain, hashes)) return true;
    // The hash of a version 1 filter depends on the machine that wrote it.
    if (version !== 1 || signed === null) return false;
    return hasAll(layer.bytes, at, length, signed, hashes);
  }
}

function hasAll(bytes: Buffer, start: number, length: number, names: Uint32Array, hashes: number): boolean {
  const bits = length * 8;
  for (let name = 0; name < names.length; name += 2) {
    const first = names[name]!;
    const second = names[name + 1]!;
    for (let index = 0; index < hashes; index += 1) {
      const bit = ((first + Math.imul(index, second)) >>> 0) % bits;
      if ((bytes[start + (bit >>> 3)]! & (1 << (bit & 7))) === 0) return false;
    }
  }
  return true;
}
