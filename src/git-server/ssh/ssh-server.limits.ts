/** How much may come in before it is known who it is. */
export interface SshLimits {
  /** Milliseconds that a client may take to prove who it is. */
  loginMs: number;
  /** Milliseconds that a proxy may take to say whom it forwards. */
  proxyMs: number;
  /** Connections of which nobody knows yet who they are: in all, where the oldest makes room for the next, and of one address. */
  strangers: number;
  strangersOfAddress: number;
  /** Connections of an address in a minute. */
  perMinute: number;
  /** New keys in a minute that clients of an address ask for though they have hardly used the old ones. */
  rekeysPerMinute: number;
}

export const LIMITS: SshLimits = {
  loginMs: 60_000,
  proxyMs: 500,
  strangers: 200,
  strangersOfAddress: 50,
  perMinute: 1_200,
  rekeysPerMinute: 300,
};

/** Connections by what they count against. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();
  all = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** @returns what counts it no more; calling it again does nothing */
  add(key: string): () => void {
    this.all += 1;
    this.#counts.set(key, this.of(key) + 1);
    let counted = true;
    return () => {
      if (!counted) return;
      counted = false;
      this.all -= 1;
      const left = this.of(key) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }
}
