import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage, trimHeap } from './heap-release.ts';

/** Milliseconds after which it is looked again whether the process is idle. */
const LOOK_MS = 2_000;
/** It is where the event loop worked for less than this share of each of so many looks in a row. */
const IDLE_SHARE = 0.02;
const IDLE_LOOKS = 12;
/** What has to have come back before memory is released once more: who asks now and then is to find what was kept since. */
const REGROWN = 16 * 1024 * 1024;
/** The same for free pages alone, which takes some 5 ms. */
const REGROWN_PAGES = 8 * 1024 * 1024;
/** Of so many bytes and more, free pages between others are given back also while the process is busy: they come to a hundred megabytes. */
const MUCH = 256 * 1024 * 1024;

const releases = new Set<() => void>();

/**
 * Has something release its memory whenever the process becomes idle: what can be made again, and is not in use between two turns of the
 * event loop.
 * @returns what takes that back
 */
export function releaseWhenIdle(release: () => void): () => void {
  releases.add(release);
  return () => void releases.delete(release);
}

/** Has all release its memory that is to do so when the process becomes idle. */
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
 * Releases the memory of an idle process: caches, threads that nobody asks, garbage, and what the C library keeps of free memory.
 * Polls and health checks do not keep a process from being idle.
 */
export class IdleMemory {
  readonly #system: typeof SYSTEM;
  readonly #timer: NodeJS.Timeout;
  #loop: ReturnType<typeof SYSTEM.utilization>;
  #idleLooks = 0;
  /** Bytes that were left the last time that memory was released, and that free pages were given back. */
  #released = 0;
  #trimmed = 0;

  /** @param system other looks than that at the engine and the process, for tests */
  constructor(system: Partial<typeof SYSTEM> = {}) {
    this.#system = { ...SYSTEM, ...system };
    this.#loop = this.#system.utilization();
    // What could not be released may be the next time.
    this.#timer = setInterval(() => void this.check().catch(() => {}), LOOK_MS).unref();
  }

  /** Looks whether the process is idle, and releases then what came since the last time. */
  async check(): Promise<void> {
    const system = this.#system;
    const before = this.#loop;
    this.#loop = system.utilization();
    const isIdle = system.utilization(this.#loop, before).utilization < IDLE_SHARE;
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    const resident = system.resident();
    if (this.#idleLooks < IDLE_LOOKS) {
      if (resident > MUCH && resident >= this.#trimmed + REGROWN_PAGES) this.#trim();
      // Garbage may have been collected since.
      else this.#trimmed = Math.min(this.#trimmed, resident);
      return;
    }
    if (resident < this.#released + REGROWN) return;
    system.releaseAll();
    // Each takes its time: others have their turn in between.
    await nextTurn();
    system.collectGarbage();
    await nextTurn();
    this.#trim();
    this.#released = this.#trimmed;
    // This work is not what makes a process busy.
    this.#loop = system.utilization();
  }

  #trim(): void {
    this.#system.trimHeap();
    this.#trimmed = this.#system.resident();
  }

  /** Looks no more. */
  stop(): void {
    clearInterval(this.#timer);
  }
}
