import { setImmediate } from 'node:timers/promises';
import { currentScope } from '../../core/request-scope.ts';
import { threadTime } from '../../core/thread-time.ts';
import { CLOCK_FACTOR } from '../cpu-limit.ts';
import { GitError } from '../git.errors.ts';
import { acquireSlot, READ_MS } from '../git.process.ts';

/** How long a walk may hold the event loop, in milliseconds. */
const TURN_MS = 2;
const STEPS_BETWEEN_LOOKS = 32;
/** What is measured: the time of a processor of this thread, and the clock, in milliseconds. */
const TIMES = { cpuMs: threadTime, clockMs: (): number => performance.now() };

/** Lets others have their turn while a history is walked, and ends walks that nobody waits for or that take too much. */
export class TimeSlice {
  readonly #scope = currentScope();
  readonly #times: typeof TIMES;
  readonly #begun: number;
  #until: number;
  #steps = 0;
  /** Milliseconds of a processor in all turns but the first, and when this one began by them. */
  #taken = 0;
  #turnAt: number | undefined;
  #leave: (() => void) | undefined;

  constructor(times = TIMES) {
    this.#times = times;
    this.#begun = times.clockMs();
    this.#until = this.#begun + TURN_MS;
  }

  /** To be asked at each step; where it is true, `yield` is to be awaited. */
  get isExpired(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_BETWEEN_LOOKS === 0 && this.isLate;
  }

  /** The same for steps that are many in one. */
  get isLate(): boolean {
    return this.#times.clockMs() > this.#until;
  }

  /**
   * Waits for all that waits already. A walk that needs a second turn is work as that of a git command, and shares its places.
   * @throws GitError `busy`, `caller_busy`, `aborted`, `timeout` for one that has taken too much of a processor
   */
  async yield(): Promise<void> {
    const { caller, signal } = this.#scope;
    const { cpuMs, clockMs } = this.#times;
    if (this.#turnAt !== undefined) this.#taken += cpuMs() - this.#turnAt;
    this.#leave ??= await acquireSlot('command', caller, signal);
    await setImmediate();
    if (signal?.aborted) throw new GitError('aborted', 'the walk was stopped');
    if (this.#taken > READ_MS) throw new GitError('timeout', 'the walk took too much time of a processor');
    const now = clockMs();
    if (now - this.#begun > CLOCK_FACTOR * READ_MS) throw new GitError('busy', 'the walk was not done in time');
    this.#turnAt = cpuMs();
    this.#until = now + TURN_MS;
  }

  /** Gives its place back. */
  end(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
