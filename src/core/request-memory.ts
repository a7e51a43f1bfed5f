import type { FairSlots } from './fair-slots.ts';

/**
 * What one request holds of the memory of all: everything is given back when it ends. Who needs more gives back what is
 * held while it waits, so that no two requests wait for each other.
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
   * Waits until so many bytes more may be used.
   * @throws ApiError 429, 503 while too many wait, or when the wait takes too long; the reason of the signal
   */
  async hold(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    this.#leave?.();
    this.#leave = undefined;
    this.#held += bytes;
    const leave = await this.#budget.take(this.#caller, { cost: this.#held, signal });
    if (this.#ended) leave();
    else this.#leave = leave;
  }

  /** Gives so many bytes back of what is held. */
  give(bytes: number): void {
    this.#held = Math.max(0, this.#held - bytes);
    this.#leave?.(this.#held);
  }

  /** Gives everything back, and all that is held from now on. */
  end(): void {
    this.#ended = true;
    this.#leave?.();
  }
}
