/** Number of slots, a power of two. */
const SLOTS = 32 * 1024;

/** Approximate set of recently seen keys in 128 kB: each slot holds the hash of the last key that mapped to it. */
export class SeenFilter {
  readonly #hashes = new Int32Array(SLOTS);

  /** Records a key; returns whether it was already seen recently. */
  testAndAdd(key: string): boolean {
    let hash = 0x811c9dc5;
    for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const isKnown = this.#hashes[slot] === hash;
    this.#hashes[slot] = hash;
    return isKnown;
  }
}
