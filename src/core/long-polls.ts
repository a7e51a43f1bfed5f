export interface LongPollLimits {
  /** Who may wait at once, all together. */
  total: number;
  /** Of them for one key. */
  perKey: number;
}

export interface LongPoll<T> {
  /** What is waited for; woken by its name. */
  topic: string;
  /** Whose share of the places it takes. */
  key: string;
  /** Milliseconds after which it is enough. */
  ms: number;
  /** Ends the wait when whoever waits is gone. */
  signal: AbortSignal;
  /** Looks for what is waited for: at once, and after each wake. Undefined while there is nothing. */
  poll(): Promise<T | undefined>;
}

/** Where requests wait until there is something for them. Places are bounded; who finds none is not kept waiting. */
export class LongPolls {
  readonly #limits: LongPollLimits;
  readonly #topics = new Map<string, Set<() => void>>();
  readonly #held = new Map<string, number>();
  readonly #ended = new AbortController();
  #total = 0;

  constructor(limits: LongPollLimits) {
    this.#limits = limits;
  }

  /** Lets all who wait for the topic in this process look again. Call it after the commit. */
  wake(topic: string): void {
    for (const wake of this.#topics.get(topic) ?? []) wake();
  }

  /** Sends everybody home: the server ends. Nobody waits from then on. */
  close(): void {
    this.#ended.abort();
  }

  /** @returns what was found; undefined when the time is over, nobody waits any more, or no place is free */
  async wait<T>({ topic, key, ms, signal, poll }: LongPoll<T>): Promise<T | undefined> {
    const end = AbortSignal.any([signal, this.#ended.signal]);
    let woken = Promise.withResolvers<void>();
    const wake = () => woken.resolve();
    // In the room before the first look, so that nothing happens unseen between the two.
    const leave = this.#enter(topic, key, wake);
    end.addEventListener('abort', wake, { once: true });
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      wake();
    }, ms);
    try {
      for (;;) {
        const found = await poll();
        if (found !== undefined || leave === null || over || end.aborted) return found;
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

  /** @returns what gives the place back; null when there is none */
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
