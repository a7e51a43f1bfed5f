import type { FairSlots } from './fair-slots.ts';

/**
 * The share of one request in the memory limit of all requests; everything is returned when it ends. A request that
 * needs more returns what it holds while it waits, so that no two requests wait for each other.
 */
export class RequestMemory {
  readonly #budget: FairSlots;
  readonly #caller: string;
  #held = 0;
  #leave: ((rest?: number) => void) | undefined;
  #ended = false;

  constructor(budget: FairSlots, caller: string) {
    this.#budget = budget;
    this.#caller = caller;
  }

  /** Bytes of all requests together. */
  get total(): number {
    return this.#budget.total;
  }

  /**
   * Waits until this many more bytes may be used.
   * @throws ApiError 429, 503 if too many requests wait or the wait takes too long; the reason of the signal
   */
  async hold(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    this.#leave?.();
    this.#leave = undefined;
    this.#held += bytes;
    const leave = await this.#budget.take(this.#caller, { cost: this.#held, signal });
    if (this.#ended) leave();
    else this.#leave = leave;
  }

  /** Returns this many of the held bytes. */
  give(bytes: number): void {
    this.#held = Math.max(0, this.#held - bytes);
    this.#leave?.(this.#held);
  }

  /** Returns all bytes, and those acquired later at once. */
  end(): void {
    this.#ended = true;
    this.#leave?.();
  }
}
