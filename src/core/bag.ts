/** What a bag keeps knows its place in it; -1 while it is in none. */
export interface InBag {
  place: number;
}

/**
 * What comes and goes thousands of times a second, in no order, such as the requests under way. A Set or a Map would be copied into a new
 * table every few dozen of them, and each old table that has outlived two collections of young objects keeps its successor, and with it
 * everything those ever held, until the old objects are collected, too. A bag has one table, in which nothing is left of what has gone.
 */
export class Bag<T extends InBag> {
  readonly #table: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(one: T): void {
    one.place = this.#size;
    this.#table[this.#size] = one;
    this.#size += 1;
  }

  /** Takes something out; what is in no bag is left alone. */
  delete(one: T): void {
    const { place } = one;
    if (this.#table[place] !== one) return;
    this.#size -= 1;
    const last = this.#table[this.#size]!;
    this.#table[place] = last;
    last.place = place;
    this.#table[this.#size] = undefined;
    one.place = -1;
  }

  /** The first of those that are in it for which it is so. */
  find(isIt: (one: T) => boolean): T | undefined {
    for (let place = 0; place < this.#size; place += 1) {
      const one = this.#table[place]!;
      if (isIt(one)) return one;
    }
    return undefined;
  }

  /** All that is in it now: what comes or goes meanwhile changes nothing. */
  all(): T[] {
    return this.#table.slice(0, this.#size) as T[];
  }
}
