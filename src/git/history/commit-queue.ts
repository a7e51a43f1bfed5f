interface Waiting {
  commit: number;
  generation: number;
  date: number;
  order: number;
}

/** Whether `a` is given before `b`. */
function isBefore(a: Waiting, b: Waiting): boolean {
  if (a.generation !== b.generation) return a.generation > b.generation;
  return a.date === b.date ? a.order < b.order : a.date > b.date;
}

/** Commits that wait in a walk: the highest generation first, of these the newest, of these the one that was put first. */
export class CommitQueue {
  readonly #heap: Waiting[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** @param generation 0 for all where the date alone decides */
  put(commit: number, generation: number, date: number): void {
    const heap = this.#heap;
    const added = { commit, generation, date, order: this.#order };
    this.#order += 1;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(added, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = added;
  }

  /** The next one's date; below all dates where there is none. */
  get nextDate(): number {
    return this.#heap[0]?.date ?? Number.NEGATIVE_INFINITY;
  }

  /** The same of its generation. */
  get nextGeneration(): number {
    return this.#heap[0]?.generation ?? Number.NEGATIVE_INFINITY;
  }

  /** The next one, which then waits no more; -1 where there is none. */
  take(): number {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return -1;
    if (heap.length === 0) return first.commit;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first.commit;
  }
}
