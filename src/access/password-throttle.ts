import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { ApiError } from '../core/core.errors.ts';
import { once } from '../core/core.once.ts';
import { hashPassword, type PasswordCost, randomText, verifyPassword } from '../core/core.secrets.ts';
import { FairSlots } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import { SignInFailureReports } from './sign-in-failure-reports.ts';

/** Names whose failures are remembered; the least recent is forgotten first. */
const MAX_NAMES = 50_000;
/** Each hash costs memory and a thread for tens of milliseconds. */
const MAX_HASHES = 2;
const MAX_WAITING = 200;
const MAX_WAITING_PER_ADDRESS = 20;

const tooMany = (whose: 'caller' | 'server'): ApiError =>
  whose === 'caller'
    ? new ApiError(
        429,
        'Too many sign-in attempts from this address at once. Try again later.',
        {},
        { 'Retry-After': '1' },
      )
    : new ApiError(503, '503 Service Unavailable - too many sign-ins at once', {}, { 'Retry-After': '1' });

/** After how many wrong passwords in a row a name is closed, and for how many milliseconds. */
export interface LockRule {
  failures: number;
  periodMs: number;
}

const DEFAULT_RULE: LockRule = { failures: 10, periodMs: 10 * 60_000 };

interface Failures {
  count: number;
  /** Milliseconds (unix) at which they are forgotten. */
  until: number;
}

/** A lock that would last longer than any was made by a clock that ran ahead. */
const isOver = ({ until }: Failures, now: number, { periodMs }: LockRule): boolean =>
  until <= now || until > now + periodMs;

/**
 * Checks passwords: few at once, so that guessing cannot take the machine, with turns for each address; as long for a
 * user who does not exist as for one who does; and not at all for a while (ten minutes) after some (ten) failures for one
 * name.
 */
export class PasswordThrottle {
  readonly #clock: Clock;
  readonly #cost: () => PasswordCost;
  readonly #rule: () => LockRule;
  /** Made with the first failure: it sets room aside for all names at once. */
  #failures: LRUCache<string, Failures> | undefined;
  readonly #hashes = new FairSlots({
    total: MAX_HASHES,
    perKey: MAX_HASHES,
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_ADDRESS,
    refuse: tooMany,
  });
  readonly #decoy = once(() => hashPassword(randomText(20), this.#cost()));
  /** Which failures are told of. */
  readonly reports: SignInFailureReports;

  /**
   * @param cost what new hashes cost: the decoy for unknown users is as dear as a real one
   * @param rule asked each time
   */
  constructor(clock: Clock, cost: () => PasswordCost, rule: () => LockRule = () => DEFAULT_RULE) {
    this.#rule = rule;
    this.#clock = clock;
    this.#cost = cost;
    this.reports = new SignInFailureReports(clock);
  }

  /**
   * Whether the password fits.
   * @param name as it was given at sign-in: what failures are counted by, whether such a user exists or not
   * @param stored the user's hash; null for an unknown user or one without a password, which nothing fits
   * @param share whose share the check counts against: its caller's when absent
   * @throws ApiError 429 after too many failures or while too many checks of the share wait, 503 while too many of all do
   */
  async check(name: string, password: string, stored: string | null, share = currentScope().caller): Promise<boolean> {
    const key = name.toLowerCase();
    this.#refuseLocked(key);
    const leave = await this.#hashes.take(share);
    try {
      // Those that waited together with the last allowed failure are as many attempts too many.
      this.#refuseLocked(key);
      // Made for whoever comes first: if only unknown names waited for it, the first of them would take longer.
      const decoy = await this.#decoyHash();
      const fits = await verifyPassword(password, stored ?? decoy);
      if (fits && stored !== null) {
        this.#failures?.delete(key);
        return true;
      }
      this.#countFailure(key);
      return false;
    } finally {
      leave();
    }
  }

  #refuseLocked(key: string): void {
    const now = this.#clock.now().getTime();
    const rule = this.#rule();
    const failures = this.#failures?.get(key);
    if (failures === undefined || failures.count < rule.failures || isOver(failures, now, rule)) return;
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
    this.#failures ??= new LRUCache({ max: MAX_NAMES });
    const rule = this.#rule();
    const known = this.#failures.get(key);
    const count = known === undefined || isOver(known, now, rule) ? 1 : known.count + 1;
    // The lock lasts from the failure that made it; before, all count from the first on.
    const until = count === 1 || count >= rule.failures ? now + rule.periodMs : known!.until;
    this.#failures.set(key, { count, until });
  }

  #decoyHash(): Promise<string> {
    return this.#decoy();
  }
}
