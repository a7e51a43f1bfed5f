import type { Clock } from '../core/clock.ts';

const HOUR_MS = 3_600_000;
/** Failures reported per hour: by address, and in total. */
const PER_ADDRESS = 10;
const OF_ALL = 60;

/** Whether a failure is reported, as the last of its address or of all in this hour, or not at all. */
export type ReportedSignInFailure = 'one' | 'last of address' | 'last of all' | 'none';

/** Limits which failed sign-ins are reported: anybody can cause any number of them, and each would be a row. */
export class SignInFailureReports {
  readonly #clock: Clock;
  #hour = Number.NaN;
  #all = 0;
  /** Only addresses with reported failures, so never more than `OF_ALL`. */
  readonly #byAddress = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Drops all counts. */
  clear(): void {
    this.#hour = Number.NaN;
  }

  /** Counts a failure. @param address address whose share it counts against */
  reportsFor(address: string): ReportedSignInFailure {
    const hour = Math.floor(this.#clock.now().getTime() / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#all = 0;
      this.#byAddress.clear();
    }
    const count = (this.#byAddress.get(address) ?? 0) + 1;
    if (count > PER_ADDRESS || this.#all >= OF_ALL) return 'none';
    this.#byAddress.set(address, count);
    this.#all += 1;
    if (this.#all === OF_ALL) return 'last of all';
    return count === PER_ADDRESS ? 'last of address' : 'one';
  }
}
