import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import { hashPassword, type PasswordCost, randomText, verifyPassword } from '../core/secrets.ts';

const MAX_FAILURES = 10;
const PERIOD_MS = 10 * 60_000;
/** Names whose failures are remembered; the least recent is forgotten first. */
const MAX_NAMES = 50_000;
/** Each hash costs memory and a thread for tens of milliseconds. */
const MAX_HASHES = 2;
const MAX_WAITING = 100;

interface Failures {
  count: number;
  /** Milliseconds (unix) at which they are forgotten. */
  until: number;
}

/**
 * Checks passwords: few at once, so that guessing cannot take the machine; as long for a user who does not exist as
 * for one who does; and not at all for ten minutes after ten failures for one name.
 */
export class PasswordGate {
  readonly #clock: Clock;
  readonly #cost: () => PasswordCost;
  readonly #failures = new LRUCache<string, Failures>({ max: MAX_NAMES });
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #decoy: Promise<string> | undefined;

  /** @param cost what new hashes cost: the decoy for unknown users is as dear as a real one */
  constructor(clock: Clock, cost: () => PasswordCost) {
    this.#clock = clock;
    this.#cost = cost;
  }

  /**
   * Whether the password fits.
   * @param name as it was given at sign-in: what failures are counted by, whether such a user exists or not
   * @param stored the user's hash; null for an unknown user or one without a password, which nothing fits
   * @throws ApiError 429 after too many failures, 503 while too many checks wait
   */
  async check(name: string, password: string, stored: string | null): Promise<boolean> {
    const key = name.toLowerCase();
    this.#refuseLocked(key);
    await this.#enter();
    try {
      // Those that waited together with the last allowed failure are as many attempts too many.
      this.#refuseLocked(key);
      const fits = await verifyPassword(password, stored ?? (await this.#decoyHash()));
      if (fits && stored !== null) {
        this.#failures.delete(key);
        return true;
      }
      this.#countFailure(key);
      return false;
    } finally {
      this.#leave();
    }
  }

  #refuseLocked(key: string): void {
    const now = this.#clock.now().getTime();
    const failures = this.#failures.get(key);
    if (failures === undefined || failures.count < MAX_FAILURES || failures.until <= now) return;
    const seconds = Math.ceil((failures.until - now) / 1000);
    throw new ApiError(
      429,
      'Too many failed sign-in attempts for this name. Try again later.',
      {},
      { 'Retry-After': String(seconds) },
    );
  }

  #countFailure(key: string): void {
    const now = this.#clock.now().getTime();
    const known = this.#failures.get(key);
    const count = known === undefined || known.until <= now ? 1 : known.count + 1;
    // The lock lasts from the failure that made it; before, all count from the first on.
    const until = count === 1 || count >= MAX_FAILURES ? now + PERIOD_MS : known!.until;
    this.#failures.set(key, { count, until });
  }

  #decoyHash(): Promise<string> {
    this.#decoy ??= hashPassword(randomText(20), this.#cost());
    return this.#decoy;
  }

  async #enter(): Promise<void> {
    if (this.#running < MAX_HASHES) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw new ApiError(503, '503 Service Unavailable - too many sign-ins at once', {}, { 'Retry-After': '1' });
    }
    // Whoever leaves hands its place on, so the number that runs stays the same.
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
