import { SignInFailureReports } from '../audit/sign-in-failure-reports.ts';
import { EntryCache } from '../core/cache/index.ts';
import type { Clock } from '../core/clock.ts';
import { ApiError } from '../core/core.errors.ts';
import { once } from '../core/core.once.ts';
import { hashPassword, type PasswordCost, randomText, verifyPassword } from '../core/core.secrets.ts';
import { FairSlots } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import type { LockRule } from '../settings/settings.sign-in.ts';

/** Concurrent hashes: each costs memory and a thread for tens of milliseconds. */
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

const DEFAULT_RULE: LockRule = { failures: 10, periodMs: 10 * 60_000 };

interface Failures {
  count: number;
  /** Unix time in milliseconds at which the failures are dropped. */
  until: number;
}

/** A lock that ends later than any new lock would was made by a clock that ran ahead. */
const isOver = ({ until }: Failures, now: number, { periodMs }: LockRule): boolean =>
  until <= now || until > now + periodMs;

/**
 * Checks passwords. Few checks run at once, with fair turns by address, so that guessing cannot exhaust the machine.
 * Unknown users take as long as known ones. After several failures (default: ten) a name is locked for a while
 * (default: ten minutes).
 */
export class PasswordThrottle {
  readonly #clock: Clock;
  readonly #cost: () => PasswordCost;
  readonly #rule: () => LockRule;
  /** Created at the first failure, because it allocates space for all names at once. */
  #failures: EntryCache<string, Failures> | undefined;
  readonly #hashes = new FairSlots({
    total: MAX_HASHES,
    perKey: MAX_HASHES,
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_ADDRESS,
    refuse: tooMany,
  });
  readonly #decoy = once(() => hashPassword(randomText(20), this.#cost()));
  /** Decides which failures are reported. */
  readonly reports: SignInFailureReports;

  /**
   * @param cost of new hashes: the decoy for unknown users costs as much as a real one
   * @param rule called at each check
   */
  constructor(clock: Clock, cost: () => PasswordCost, rule: () => LockRule = () => DEFAULT_RULE) {
    this.#rule = rule;
    this.#clock = clock;
    this.#cost = cost;
    this.reports = new SignInFailureReports(clock);
  }

  /**
   * Whether a password is correct.
   * @param name name given at sign-in; failures are counted by it, whether such a user exists or not
   * @param stored the user's hash; null for an unknown user or one without a password
   * @param share key of the share that the check counts against; the current caller's by default
   * @throws ApiError 429 after too many failures or while too many checks of the share wait, 503 while too many checks
   *   wait in total
   */
  async check(name: string, password: string, stored: string | null, share = currentScope().caller): Promise<boolean> {
    const key = name.toLowerCase();
    this.#refuseLocked(key);
    const leave = await this.#hashes.take(share);
    try {
      // Checks that waited while the last allowed failure happened exceed the limit.
      this.#refuseLocked(key);
      // The decoy is made for the first check in any case: otherwise the first check of an unknown name would take
      // longer.
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

  /** Drops all failures. */
  clear(): void {
    this.#failures?.clear();
    this.reports.clear();
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
    this.#failures ??= new EntryCache('password_failures');
    const rule = this.#rule();
    const known = this.#failures.get(key);
    const count = known === undefined || isOver(known, now, rule) ? 1 : known.count + 1;
    // The lock lasts from the failure that caused it; before that, the period starts at the first failure.
    const until = count === 1 || count >= rule.failures ? now + rule.periodMs : known!.until;
    this.#failures.set(key, { count, until });
  }

  #decoyHash(): Promise<string> {
    return this.#decoy();
  }
}
