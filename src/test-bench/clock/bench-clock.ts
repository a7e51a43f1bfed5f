import { type Clock, systemClock } from '../../core/clock.ts';

/** What the test bench has made of the time. */
export interface ClockState {
  /** Seconds ahead of the system's clock. */
  offset: number;
  /** The instant at which it stands, as an ISO 8601 text; null while it runs. */
  frozenAt: string | null;
}

/** A clock that tests set, advance and freeze; the system's until then. */
export class BenchClock implements Clock {
  readonly #base: Clock;
  #offsetMs = 0;
  #frozenAt: Date | null = null;

  /** @param base the clock that it is ahead of */
  constructor(base: Clock = systemClock) {
    this.#base = base;
  }

  now(): Date {
    return this.#frozenAt === null
      ? new Date(this.#base.now().getTime() + this.#offsetMs)
      : new Date(this.#frozenAt.getTime());
  }

  /** What `restore` takes. */
  get state(): ClockState {
    const offset = this.#frozenAt === null ? this.#offsetMs : this.#frozenAt.getTime() - this.#base.now().getTime();
    return { offset: offset / 1_000, frozenAt: this.#frozenAt?.toISOString() ?? null };
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  /** Sets the time; a frozen clock stands there. */
  set(now: Date): void {
    this.#offsetMs = now.getTime() - this.#base.now().getTime();
    if (this.#frozenAt !== null) this.#frozenAt = new Date(now.getTime());
  }

  /** @param seconds ahead of the system's clock */
  setOffset(seconds: number): void {
    this.set(new Date(this.#base.now().getTime() + seconds * 1_000));
  }

  /** Stops the clock, or lets it run on from where it stands. */
  freeze(frozen: boolean): void {
    if (frozen) {
      this.#frozenAt ??= this.now();
      return;
    }
    const { offset } = this.state;
    this.#frozenAt = null;
    this.#offsetMs = offset * 1_000;
  }

  advance(seconds: number): void {
    this.set(new Date(this.now().getTime() + seconds * 1_000));
  }

  /** Makes it what it was when `state` was read. */
  restore({ offset, frozenAt }: ClockState): void {
    this.#frozenAt = frozenAt === null ? null : new Date(frozenAt);
    this.#offsetMs = offset * 1_000;
  }
}
