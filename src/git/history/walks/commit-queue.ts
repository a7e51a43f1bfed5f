interface Waiting {
  commit: number;
  generation: number;
  date: number;
  order: number;
}

/** Whether `a` comes before `b`. */
function isBefore(a: Waiting, b: Waiting): boolean {
  if (a.generation !== b.generation) return a.generation > b.generation;
  return a.date === b.date ? a.order < b.order : a.date > b.date;
}

/** Priority queue of a commit walk: highest generation first, then newest, then first inserted. */
export class CommitQueue {
  readonly #heap: Waiting[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** @param generation 0 for all commits if only the date decides */
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

  /** Date of the next commit; lower than all dates if the queue is empty. */
  get nextDate(): number {
    return this.#heap[0]?.date ?? Number.NEGATIVE_INFINITY;
  }

  /** Generation of the next commit. */
  get nextGeneration(): number {
    return this.#heap[0]?.generation ?? Number.NEGATIVE_INFINITY;
  }

  /** Removes and returns the next commit; -1 if the queue is empty. */
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
