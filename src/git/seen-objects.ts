/**
 * Ids by eight of their digits, so that several may have the same place. Few enough that what is known is about as much as the caches of objects hold
 * of it: what comes again later than that would be kept for nothing, as garbage that takes long to collect.
 */
const PLACES = 1024;

/** Remembers about which objects were read lately, in 4 kB. */
export class SeenObjects {
  readonly #ids = new Uint32Array(PLACES);

  /** Whether an object was read lately; from now on it was. @param oid complete */
  testAndAdd(oid: string): boolean {
    const place = Number.parseInt(oid.slice(0, 4), 16) % PLACES;
    const id = Number.parseInt(oid.slice(4, 12), 16);
    const isSame = this.#ids[place] === id;
    this.#ids[place] = id;
    return isSame;
  }
}
