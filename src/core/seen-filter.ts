/** A power of two: so many keys are known. */
const PLACES = 32 * 1024;

/** Remembers about which keys came lately, each by a sum at a place of its own or that of others, in 128 kB. */
export class SeenFilter {
  readonly #sums = new Int32Array(PLACES);

  /** Whether a key came lately; from now on it did. */
  testAndAdd(key: string): boolean {
    let sum = 0x811c9dc5;
    for (let at = 0; at < key.length; at += 1) sum = Math.imul(sum ^ key.charCodeAt(at), 0x01000193);
    const place = (sum ^ (sum >>> 15)) & (PLACES - 1);
    const was = this.#sums[place] === sum;
    this.#sums[place] = sum;
    return was;
  }
}
