/** What a bag keeps knows its place in it; -1 while it is in none. */
export interface SlotSetItem {
  slot: number;
}

/**
 * What comes and goes thousands of times a second, in no order, such as the requests under way. A Set or a Map would be copied into a new
 * table every few dozen of them, and each old table that has outlived two collections of young objects keeps its successor, and with it
 * everything those ever held, until the old objects are collected, too. A bag has one table, in which nothing is left of what has gone.
 */
export class SlotSet<T extends SlotSetItem> {
  readonly #table: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(one: T): void {
    one.slot = this.#size;
    this.#table[this.#size] = one;
    this.#size += 1;
  }

  /** Takes something out; what is in no bag is left alone. */
  delete(one: T): void {
    const { slot } = one;
    if (this.#table[slot] !== one) return;
    this.#size -= 1;
    const last = this.#table[this.#size]!;
    this.#table[slot] = last;
    last.slot = slot;
    this.#table[this.#size] = undefined;
    one.slot = -1;
  }

  /** The first of those that are in it for which it is so. */
  find(isIt: (one: T) => boolean): T | undefined {
    for (let slot = 0; slot < this.#size; slot += 1) {
      const one = this.#table[slot]!;
      if (isIt(one)) return one;
    }
    return undefined;
  }

  /** All that is in it now: what comes or goes meanwhile changes nothing. */
  all(): T[] {
    return this.#table.slice(0, this.#size) as T[];
  }
}
