/** Limits for unauthenticated connections. */
export interface SshLimits {
  /** Timeout for authentication in milliseconds. */
  loginMs: number;
  /** Timeout for the PROXY protocol header in milliseconds. */
  proxyMs: number;
  /**
   * Maximum number of unauthenticated connections: in total, where a new one evicts the oldest, and for each address.
   */
  strangers: number;
  strangersOfAddress: number;
  /** Maximum number of connections of an address per minute. */
  perMinute: number;
  /** Maximum number of early rekeys of an address per minute. */
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

/** Counts connections by key. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();
  all = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** @returns a function that removes the entry; further calls do nothing */
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
