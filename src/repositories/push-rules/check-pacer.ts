import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { PatternFails } from './push-rules.pattern.ts';

/** Milliseconds of work without a pause. */
const AT_ONCE_MS = 5;
/** A look that takes so long is none at a common pattern. */
const SLOW_MS = 1;
/** Milliseconds of the processor that slow looks may take in one push. */
const MAX_SLOW_MS = 10_000;

/**
 * Spreads long work over time, so that it takes this process from nobody: after some milliseconds others have their turn, and
 * after slow looks, which bad patterns are made of, as long as these took.
 */
export class CheckPacer {
  #began = performance.now();
  #used = process.threadCpuUsage();
  #slow = 0;
  #owed = 0;

  /** Looks at something at once. @throws PatternFails where slow looks have taken too long together; what `check` throws */
  check<T>(look: () => T): T {
    const began = performance.now();
    const found = look();
    // Asking for the time of the processor takes ten times as long, so that is asked of slow looks alone.
    const took = performance.now() - began > SLOW_MS ? this.#worked() : 0;
    if (took > SLOW_MS) {
      this.#slow += took;
      this.#owed += took;
    }
    if (this.#slow > MAX_SLOW_MS) throw new PatternFails('The push rules take too long on this push');
    return found;
  }

  /** Milliseconds of the processor since the last slow look, or the last rest. */
  #worked(): number {
    const { user, system } = process.threadCpuUsage(this.#used);
    this.#used = process.threadCpuUsage();
    return (user + system) / 1_000;
  }

  /** Call it after each look. */
  async yield(): Promise<void> {
    if (performance.now() - this.#began < AT_ONCE_MS) return;
    if (this.#owed > AT_ONCE_MS) await sleep(this.#owed);
    else await setImmediate();
    this.#owed = 0;
    this.#began = performance.now();
    this.#used = process.threadCpuUsage();
  }
}
