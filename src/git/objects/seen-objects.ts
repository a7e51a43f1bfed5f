/**
 * Number of slots, selected by some digits of the id. Few enough that the filter covers about as many objects as the
 * caches hold: an object that recurs later would be cached in vain, as garbage that takes long to collect.
 */
const PLACES = 1024;

/** Approximate filter of recently read objects, in 4 kB. */
export class SeenObjects {
  readonly #ids = new Uint32Array(PLACES);

  /** Records an object; returns whether it was read recently. @param oid complete */
  testAndAdd(oid: string): boolean {
    const place = Number.parseInt(oid.slice(0, 4), 16) % PLACES;
    const id = Number.parseInt(oid.slice(4, 12), 16);
    const isSame = this.#ids[place] === id;
    this.#ids[place] = id;
    return isSame;
  }
}
