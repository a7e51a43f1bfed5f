import type { Clock } from '../../core/clock.ts';
import { BenchClock, type ClockState } from '../clock/bench-clock.ts';

/** The date of the first thing in a seed without dates: the same seed makes the same instance. */
const FIRST = '2026-01-01T00:00:00.000Z';
const STEP_MS = 1_000;

/**
 * The time that passes while a seed is applied: a second for each thing without a date of its own. A `BenchClock` goes by
 * it, so that all that the server dates has these dates; any other clock goes on, and only commits have them.
 */
export class SeedClock {
  readonly #clock: BenchClock | null;
  readonly #before: ClockState | null;
  readonly #present: Date;
  #next: number;

  /** @param present the time after the seed; what the clock shows before it if absent */
  constructor(clock: Clock, present?: string) {
    this.#present = present === undefined ? clock.now() : new Date(present);
    this.#clock = clock instanceof BenchClock ? clock : null;
    this.#before = this.#clock?.state ?? null;
    this.#next = Date.parse(FIRST);
    this.#clock?.freeze(true);
  }

  /** Makes it the time of something. @param date its own one, if it has one @returns the time */
  at(date?: unknown): Date {
    if (typeof date !== 'string') this.#next += STEP_MS;
    const time = typeof date === 'string' ? new Date(date) : new Date(this.#next);
    this.#clock?.set(time);
    return time;
  }

  /** Makes it the time after the seed, for what goes on then. @param date its own one, if it has one */
  atPresent(date?: unknown): Date {
    return this.at(date ?? this.#present.toISOString());
  }

  /** Lets the clock go on where it was. */
  restore(): void {
    if (this.#before !== null) this.#clock?.restore(this.#before);
  }
}
