/** An item that stores its own index in a set; -1 while it is in none. */
export interface SlotSetItem {
  slot: number;
}

/**
 * An unordered set for thousands of additions and removals a second, such as requests in flight. A Set or Map would be
 * rebuilt every few dozen of them, and old tables that were promoted by the garbage collector retain their successors
 * with all former items. This set uses one table that keeps nothing of removed items.
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

  /** Removes an item; items in no set are ignored. */
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

  /** The first item that satisfies a condition. */
  find(isIt: (one: T) => boolean): T | undefined {
    for (let slot = 0; slot < this.#size; slot += 1) {
      const one = this.#table[slot]!;
      if (isIt(one)) return one;
    }
    return undefined;
  }

  /** A snapshot of all items. */
  all(): T[] {
    return this.#table.slice(0, this.#size) as T[];
  }
}
