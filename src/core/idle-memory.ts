import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage, trimHeap } from './heap-release.ts';

/** Interval of the idle checks in milliseconds. */
const LOOK_MS = 2_000;
/** The process is idle after this many checks in a row with an event loop utilization below this share. */
const IDLE_SHARE = 0.02;
const IDLE_LOOKS = 12;
/** Growth in bytes before memory is released again, so that occasional requests still find the caches filled. */
const REGROWN = 16 * 1024 * 1024;
/** Growth in bytes before free pages alone are returned again, which takes some 5 ms. */
const REGROWN_PAGES = 8 * 1024 * 1024;
/**
 * From this size on, free pages are returned to the system also while the process is busy; they can amount to 100 MB.
 */
const MUCH = 256 * 1024 * 1024;

const releases = new Set<() => void>();

/**
 * Registers a function that releases memory whenever the process becomes idle. It may only drop what can be computed
 * again and is not in use between two turns of the event loop.
 * @returns a function that unregisters it
 */
export function releaseWhenIdle(release: () => void): () => void {
  releases.add(release);
  return () => void releases.delete(release);
}

/** Calls all functions registered with `releaseWhenIdle`. */
export function releaseAll(): void {
  for (const release of releases) release();
}

const SYSTEM = {
  utilization: performance.eventLoopUtilization,
  resident: (): number => process.memoryUsage.rss(),
  releaseAll,
  collectGarbage,
  trimHeap,
};

/**
 * Releases the memory of an idle process: caches, idle threads, garbage, and free pages of the C library. Polls and
 * health checks do not count as activity.
 */
export class IdleMemory {
  readonly #system: typeof SYSTEM;
  readonly #timer: NodeJS.Timeout;
  #loop: ReturnType<typeof SYSTEM.utilization>;
  #idleLooks = 0;
  /** Resident bytes after the last release, and after the last return of free pages. */
  #released = 0;
  #trimmed = 0;

  /** @param system replaces measurements and actions, for tests */
  constructor(system: Partial<typeof SYSTEM> = {}) {
    this.#system = { ...SYSTEM, ...system };
    this.#loop = this.#system.utilization();
    // A failed release is tried again at the next check.
    this.#timer = setInterval(() => void this.check().catch(() => {}), LOOK_MS).unref();
  }

  /** Checks whether the process is idle, and if so releases the memory allocated since the last time. */
  async check(): Promise<void> {
    const system = this.#system;
    const before = this.#loop;
    this.#loop = system.utilization();
    const isIdle = system.utilization(this.#loop, before).utilization < IDLE_SHARE;
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    const resident = system.resident();
    if (this.#idleLooks < IDLE_LOOKS) {
      if (resident > MUCH && resident >= this.#trimmed + REGROWN_PAGES) this.#trim();
      // Garbage may have been collected meanwhile.
      else this.#trimmed = Math.min(this.#trimmed, resident);
      return;
    }
    if (resident < this.#released + REGROWN) return;
    system.releaseAll();
    // Each step takes time: other work runs in between.
    await nextTurn();
    system.collectGarbage();
    await nextTurn();
    this.#trim();
    this.#released = this.#trimmed;
    // This work itself does not count as activity.
    this.#loop = system.utilization();
  }

  #trim(): void {
    this.#system.trimHeap();
    this.#trimmed = this.#system.resident();
  }

  /** Stops the checks. */
  stop(): void {
    clearInterval(this.#timer);
  }
}

let shared: IdleMemory | null = null;
let users = 0;

/**
 * Releases the memory of this process whenever it is idle, as long as anybody wants that.
 * @returns a function that is called once when it is no longer wanted
 */
export function releaseIdleMemory(): () => void {
  users += 1;
  shared ??= new IdleMemory();
  return () => {
    users -= 1;
    if (users > 0) return;
    shared?.stop();
    shared = null;
  };
}
