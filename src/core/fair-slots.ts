import { isIP } from 'node:net';

export interface FairLimits {
  /** Total capacity over all keys: slots or bytes. */
  total: number;
  /** Capacity of one key. */
  perKey: number;
  /** Maximum number of waiting requests in total, and of one key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  /** Maximum wait in milliseconds; default: unlimited. */
  maxWaitMs?: number;
  /** Creates the error for a request beyond the limits of waiting: of its own key, or in total. */
  refuse: (whose: 'caller' | 'server') => Error;
}

export interface TakeOptions {
  /** Capacity to take; default 1. A request for more than a share runs alone. */
  cost?: number;
  /** Leaves the queue when aborted. */
  signal?: AbortSignal | undefined;
}

interface Waiter {
  cost: number;
  grant(): void;
}

interface Share {
  held: number;
  readonly waiting: Waiter[];
}

/** Key of the server's own work, which is limited elsewhere and has no share. */
export const SERVER = '';

/**
 * Limits a scarce resource (slots, processes, bytes) with a share for each caller. Waiting requests are served key by
 * key in turn, so that frequent callers do not delay others.
 */
export class FairSlots {
  readonly #limits: FairLimits;
  readonly #shares = new Map<string, Share>();
  /** Keys with waiting requests, the next one first. */
  readonly #turns = new Set<string>();
  #held = 0;
  #waiting = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /** Total capacity over all keys. */
  get total(): number {
    return this.#limits.total;
  }

  /** Capacity in use. */
  get held(): number {
    return this.#held;
  }

  /** Number of waiting requests. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Capacity in use by one key. */
  heldBy(key: string): number {
    return this.#shares.get(key)?.held ?? 0;
  }

  /**
   * Takes capacity, and waits if the total or the share of the key is used up.
   * @param key key of the share; `SERVER` has none
   * @returns a function that returns the capacity, except for an optional rest; further calls have no effect
   * @throws the error of `refuse` if too many wait or the wait takes too long; the reason of the signal
   */
  async take(key: string, { cost = 1, signal }: TakeOptions = {}): Promise<(rest?: number) => void> {
    signal?.throwIfAborted();
    const share = this.#shareOf(key);
    if (this.#turns.size > 0 || !this.#fits(key, share, cost)) await this.#wait(key, share, cost, signal);
    else this.#grant(share, cost);
    let left = cost;
    return (rest = 0) => {
      const returned = left - rest;
      if (returned <= 0) return;
      left = rest;
      this.#held -= returned;
      share.held -= returned;
      this.#forget(key, share);
      this.#dispatch();
    };
  }

  #shareOf(key: string): Share {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const share: Share = { held: 0, waiting: [] };
    this.#shares.set(key, share);
    return share;
  }

  #forget(key: string, share: Share): void {
    if (share.held === 0 && share.waiting.length === 0) this.#shares.delete(key);
  }

  #fits(key: string, share: Share, cost: number): boolean {
    return this.#fitsShare(key, share, cost) && (this.#held === 0 || this.#held + cost <= this.#limits.total);
  }

  #fitsShare(key: string, share: Share, cost: number): boolean {
    return key === SERVER || share.held === 0 || share.held + cost <= this.#limits.perKey;
  }

  #grant(share: Share, cost: number): void {
    share.held += cost;
    this.#held += cost;
  }

  #wait(key: string, share: Share, cost: number, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, maxWaitMs, refuse } = this.#limits;
    const mine = key !== SERVER && share.waiting.length >= maxWaitingPerKey;
    if (mine || this.#waiting >= maxWaiting) {
      this.#forget(key, share);
      return Promise.reject(refuse(mine ? 'caller' : 'server'));
    }
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        cost,
        grant: () => {
          settle();
          resolve();
        },
      };
      const drop = (reason: unknown) => {
        settle();
        share.waiting.splice(share.waiting.indexOf(waiter), 1);
        this.#waiting -= 1;
        if (share.waiting.length === 0) this.#turns.delete(key);
        this.#forget(key, share);
        reject(reason);
        this.#dispatch();
      };
      const abort = () => drop(signal?.reason);
      const late = () => drop(refuse(this.#fitsShare(key, share, cost) ? 'server' : 'caller'));
      const timer = maxWaitMs === undefined ? undefined : setTimeout(late, maxWaitMs).unref();
      signal?.addEventListener('abort', abort, { once: true });
      share.waiting.push(waiter);
      this.#waiting += 1;
      this.#turns.add(key);
      this.#dispatch();
    });
  }

  /**
   * Serves waiting requests, one key after the other; one that does not fit blocks those behind it, so that its turn
   * comes.
   */
  #dispatch(): void {
    for (let served = true; served; ) {
      served = false;
      for (const key of [...this.#turns]) {
        const share = this.#shares.get(key)!;
        const { cost } = share.waiting[0]!;
        if (!this.#fitsShare(key, share, cost)) continue;
        if (!this.#fits(key, share, cost)) return;
        const waiter = share.waiting.shift()!;
        this.#waiting -= 1;
        this.#turns.delete(key);
        if (share.waiting.length > 0) this.#turns.add(key);
        this.#grant(share, cost);
        waiter.grant();
        served = true;
      }
    }
  }
}

/** Key of a network address: an IPv4 address, or a /64 network of IPv6, which usually is one host. */
export function addressKey(address: string): string {
  if (isIP(address) !== 6) return `address:${address}`;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return `address:${mapped[1]}`;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0') : [];
  const groups = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `address:${groups.join(':')}`;
}
