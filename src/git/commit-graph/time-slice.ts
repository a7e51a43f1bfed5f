import { setImmediate } from 'node:timers/promises';
import { currentScope } from '../../core/request-scope.ts';
import { threadTime } from '../../core/thread-time.ts';
import { GitError } from '../common/index.ts';
import { acquireSlot, CLOCK_FACTOR, READ_MS } from '../process/index.ts';

/** Maximum time in milliseconds that a walk may block the event loop. */
const TURN_MS = 2;
const STEPS_BETWEEN_LOOKS = 32;
/** Time sources in milliseconds: processor time of this thread, and the clock. */
const TIMES = { cpuMs: threadTime, clockMs: (): number => performance.now() };

/** Yields to other work during a commit walk, and ends walks that were aborted or exceed their limits. */
export class TimeSlice {
  readonly #scope = currentScope();
  readonly #times: typeof TIMES;
  readonly #begun: number;
  #until: number;
  #steps = 0;
  /** Processor time in milliseconds of all turns but the first, and start of the current turn. */
  #taken = 0;
  #turnAt: number | undefined;
  #leave: (() => void) | undefined;

  constructor(times = TIMES) {
    this.#times = times;
    this.#begun = times.clockMs();
    this.#until = this.#begun + TURN_MS;
  }

  /** Checked at each step; if true, `yield` must be awaited. */
  get isExpired(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_BETWEEN_LOOKS === 0 && this.isLate;
  }

  /** Like `isExpired`, for steps that contain many steps. */
  get isLate(): boolean {
    return this.#times.clockMs() > this.#until;
  }

  /**
   * Yields to all waiting work. A walk that needs a second turn costs as much as a git command, so it takes a slot of
   * those.
   * @throws GitError `busy`, `caller_busy`, `aborted`, `timeout` if the walk exceeded its processor time
   */
  async yield(): Promise<void> {
    const { caller, signal } = this.#scope;
    const { cpuMs, clockMs } = this.#times;
    if (this.#turnAt !== undefined) this.#taken += cpuMs() - this.#turnAt;
    this.#leave ??= await acquireSlot('command', caller, signal);
    await setImmediate();
    if (signal?.aborted) throw new GitError('aborted', 'the commit walk was aborted');
    if (this.#taken > READ_MS) throw new GitError('timeout', 'the commit walk exceeded its processor time');
    const now = clockMs();
    if (now - this.#begun > CLOCK_FACTOR * READ_MS) throw new GitError('busy', 'the commit walk timed out');
    this.#turnAt = cpuMs();
    this.#until = now + TURN_MS;
  }

  /** Releases its slot. */
  end(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
