export interface LongPollLimits {
  /** Maximum number of waiting requests in total. */
  total: number;
  /** Maximum number for one key. */
  perKey: number;
}

export interface LongPoll<T> {
  /** Topic by which it is woken. */
  topic: string;
  /** Key of the share. */
  key: string;
  /** Maximum wait in milliseconds. */
  ms: number;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Polls for the result: at once, and after each wake-up. Undefined while there is none. */
  poll(): Promise<T | undefined>;
}

/** Each waiting request holds a connection and some kilobytes. */
const LIMITS: LongPollLimits = { total: 2_000, perKey: 200 };

/** Requests that wait for an event. Slots are limited; a request without a slot does not wait. */
export class LongPolls {
  readonly #limits: LongPollLimits;
  readonly #topics = new Map<string, Set<() => void>>();
  readonly #held = new Map<string, number>();
  #ended = new AbortController();
  #total = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Wakes all waiting requests of the topic in this process. To be called after the commit. */
  wake(topic: string): void {
    for (const wake of this.#topics.get(topic) ?? []) wake();
  }

  /** Ends all waits during shutdown; nothing waits from then on. */
  close(): void {
    this.#ended.abort();
  }

  /** Ends all waits now; later ones wait again. */
  endAll(): void {
    const ended = this.#ended;
    this.#ended = new AbortController();
    ended.abort();
  }

  /** @returns the result; undefined on timeout, abort, or without a free slot */
  async wait<T>({ topic, key, ms, signal, poll }: LongPoll<T>): Promise<T | undefined> {
    const end = AbortSignal.any([signal, this.#ended.signal]);
    let woken = Promise.withResolvers<void>();
    const wake = () => woken.resolve();
    // Registered before the first poll, so that no event in between is missed.
    const leave = this.#enter(topic, key, wake);
    end.addEventListener('abort', wake, { once: true });
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      wake();
    }, ms);
    try {
      for (;;) {
        const result = await poll();
        if (result !== undefined || leave === null || over || end.aborted) return result;
        await woken.promise;
        if (over || end.aborted) return undefined;
        woken = Promise.withResolvers<void>();
      }
    } finally {
      clearTimeout(timer);
      end.removeEventListener('abort', wake);
      leave?.();
    }
  }

  /** @returns a function that frees the slot; null if there is none */
  #enter(topic: string, key: string, wake: () => void): (() => void) | null {
    const held = this.#held.get(key) ?? 0;
    if (this.#total >= this.#limits.total || held >= this.#limits.perKey) return null;
    this.#total += 1;
    this.#held.set(key, held + 1);
    const waiting = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, waiting.add(wake));
    return () => {
      this.#total -= 1;
      const left = this.#held.get(key)! - 1;
      if (left === 0) this.#held.delete(key);
      else this.#held.set(key, left);
      waiting.delete(wake);
      if (waiting.size === 0 && this.#topics.get(topic) === waiting) this.#topics.delete(topic);
    };
  }
}
