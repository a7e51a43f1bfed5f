import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longest pause between two things that a client does, in milliseconds. */
const PAUSE_MS = 10;

/** Clients that do something again and again, and can be halted. */
export class Crowd {
  readonly #all: Promise<void>;
  #cut = new AbortController();
  #ended = false;
  #halted: PromiseWithResolvers<void> | null = null;
  #working = 0;
  #failure: unknown;
  /** What was begun. */
  count = 0;

  /** @param act what a client does; it ends early when the signal is aborted */
  constructor(size: number, act: (number: number, cut: AbortSignal) => Promise<void>) {
    this.#all = Promise.all(Array.from({ length: size }, (_, number) => this.#live(number, act))).then(() => {});
  }

  async #live(number: number, act: (number: number, cut: AbortSignal) => Promise<void>): Promise<void> {
    while (!this.#ended) {
      await this.#halted?.promise;
      if (this.#ended) return;
      this.#working += 1;
      this.count += 1;
      await act(number, this.#cut.signal).catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#working -= 1;
      await sleep(randomInt(PAUSE_MS));
    }
  }

  /**
   * Waits until all of them rest.
   * @param cuts whether what they do is cut off
   * @throws what a client has failed with
   */
  async halt(cuts: boolean): Promise<void> {
    this.#halted ??= Promise.withResolvers();
    if (cuts) this.#cut.abort();
    while (this.#working > 0) await sleep(2);
    if (this.#failure !== undefined) throw this.#failure;
  }

  goOn(): void {
    this.#cut = new AbortController();
    this.#halted?.resolve();
    this.#halted = null;
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#cut.abort();
    this.goOn();
    await this.#all;
  }
}
