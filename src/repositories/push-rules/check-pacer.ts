import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { PatternFails } from './push-rules.pattern.ts';

/** Milliseconds of work without a pause. */
const AT_ONCE_MS = 5;
/** A check that takes longer than this uses an expensive pattern. */
const SLOW_MS = 1;
/** Maximum processor time in milliseconds of slow checks in one push. */
const MAX_SLOW_MS = 10_000;

/**
 * Paces long checks, so that they do not block this process: yields after some milliseconds, and pauses after slow
 * checks, as expensive patterns cause them, for as long as they took.
 */
export class CheckPacer {
  #began = performance.now();
  #used = process.threadCpuUsage();
  #slow = 0;
  #owed = 0;

  /** Runs a synchronous check. @throws PatternFails if slow checks exceed their total time; errors of `look` */
  check<T>(look: () => T): T {
    const began = performance.now();
    const result = look();
    // Reading the processor time takes ten times as long, so it is read only for slow checks.
    const took = performance.now() - began > SLOW_MS ? this.#worked() : 0;
    if (took > SLOW_MS) {
      this.#slow += took;
      this.#owed += took;
    }
    if (this.#slow > MAX_SLOW_MS) throw new PatternFails('The push rules take too long on this push');
    return result;
  }

  /** Processor time in milliseconds since the last slow check or pause. */
  #worked(): number {
    const { user, system } = process.threadCpuUsage(this.#used);
    this.#used = process.threadCpuUsage();
    return (user + system) / 1_000;
  }

  /** Must be called after each check. */
  async yield(): Promise<void> {
    if (performance.now() - this.#began < AT_ONCE_MS) return;
    if (this.#owed > AT_ONCE_MS) await sleep(this.#owed);
    else await setImmediate();
    this.#owed = 0;
    this.#began = performance.now();
    this.#used = process.threadCpuUsage();
  }
}
