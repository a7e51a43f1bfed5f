import { setImmediate } from 'node:timers/promises';
import { currentScope } from '../../core/request-scope.ts';
import { GitError } from '../errors.ts';
import { READ_MS, takePlace } from '../process.ts';

/** How long a walk may hold the event loop, in milliseconds. */
const TURN_MS = 2;
const STEPS_BETWEEN_LOOKS = 32;

/** Lets others have their turn while a history is walked, and ends walks that nobody waits for or that take too long. */
export class Pace {
  readonly #scope = currentScope();
  readonly #begun = performance.now();
  #until = this.#begun + TURN_MS;
  #steps = 0;
  #leave: (() => void) | undefined;

  /** To be asked at each step; where it is true, `rest` is to be awaited. */
  get isDue(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_BETWEEN_LOOKS === 0 && this.isLate;
  }

  /** The same for steps that are many in one. */
  get isLate(): boolean {
    return performance.now() > this.#until;
  }

  /**
   * Waits for all that waits already. A walk that needs a second turn is work as that of a git command, and shares its places.
   * @throws GitError `busy`, `caller_busy`, `aborted`, `timeout`
   */
  async rest(): Promise<void> {
    const { caller, signal } = this.#scope;
    this.#leave ??= await takePlace('command', caller, signal);
    await setImmediate();
    if (signal?.aborted) throw new GitError('aborted', 'the walk was stopped');
    const now = performance.now();
    if (now - this.#begun > READ_MS) throw new GitError('timeout', 'the walk took too long');
    this.#until = now + TURN_MS;
  }

  /** Gives its place back. */
  end(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
