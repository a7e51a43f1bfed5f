import { GitError } from '../../common/index.ts';

/** A long-lived git process, as seen by the limiter. */
export interface LimitedWorker {
  /** Whether it is idle. */
  readonly idle: boolean;
  /** Accepts no more work, completes the current work and ends. */
  retire(): void;
  /** Called every few seconds with the time of `performance.now()`: a hung process must end itself here. */
  check(now: number): void;
}

export interface WorkerSlot {
  /** Assigns a process to the slot. */
  hold(member: LimitedWorker): void;
  /** Marks the process as used. */
  touch(): void;
  /** Releases the slot; must be called once the process has ended. */
  release(): void;
}

/** Returns the result of `start`; releases the slot if it throws. */
export function orRelease<T>(slot: WorkerSlot, start: () => T): T {
  try {
    return start();
  } catch (error) {
    slot.release();
    throw error;
  }
}

interface Entry {
  member: LimitedWorker | undefined;
  lastUsed: number;
  retiring: boolean;
}

const MAX_WAITING = 1_000;

/**
 * Bounds the number of long-lived git processes over all repositories. At the bound, the least recently used process is
 * asked to end, and the new one waits for its slot. Idle processes end after a while.
 */
export class WorkerLimiter {
  readonly #max: number;
  readonly #idleMs: number;
  readonly #entries = new Set<Entry>();
  readonly #waiting: { grant: (slot: WorkerSlot) => void; refuse: (error: GitError) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #drained: (() => void) | undefined;

  /** @param options `max` number of processes; `idleMs` idle time in milliseconds after which a process ends */
  constructor(options: { max: number; idleMs: number }) {
    this.#max = options.max;
    this.#idleMs = options.idleMs;
  }

  /** Number of processes with a slot. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Takes a slot; waits if all are in use.
   * @throws GitError `busy` if too many callers wait, `aborted` if the pool is closed; another error if no processes
   *   are allowed in this thread, since no slot would ever become free
   */
  acquire(): Promise<WorkerSlot> {
    if (this.#max === 0) return Promise.reject(new Error('git processes cannot be started in this thread'));
    if (this.#closed) return Promise.reject(new GitError('aborted', 'the repository pool is closed'));
    if (this.#entries.size < this.#max) return Promise.resolve(this.#grant());
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new GitError('busy', 'too many repositories are waiting for a git process'));
    }
    return new Promise((grant, refuse) => {
      this.#waiting.push({ grant, refuse });
      this.#makeRoom();
    });
  }

  /** Refuses new processes, ends all processes and fulfils when the last one has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const { refuse } of this.#waiting.splice(0)) refuse(new GitError('aborted', 'the repository pool is closed'));
    if (this.#entries.size === 0) return;
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    for (const entry of this.#entries) this.#retire(entry);
    await drained;
  }

  #grant(): WorkerSlot {
    const entry: Entry = { member: undefined, lastUsed: performance.now(), retiring: false };
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => this.#sweep(), Math.min(this.#idleMs, 5_000)).unref();
    return {
      hold: (member) => {
        entry.member = member;
        if (entry.retiring) member.retire();
        else this.#makeRoom();
      },
      touch: () => {
        entry.lastUsed = performance.now();
      },
      release: () => this.#release(entry),
    };
  }

  #release(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    const next = this.#waiting.shift();
    if (next) next.grant(this.#grant());
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#drained?.();
  }

  #retire(entry: Entry): void {
    entry.retiring = true;
    entry.member?.retire();
  }

  /** Asks as many processes to end as callers wait. */
  #makeRoom(): void {
    const staying = [...this.#entries].filter((entry) => !entry.retiring);
    let missing = this.#waiting.length - (this.#entries.size - staying.length);
    for (; missing > 0 && staying.length > 0; missing -= 1) {
      const leaving = staying.reduce((best, entry) => (isBetter(entry, best) ? entry : best));
      staying.splice(staying.indexOf(leaving), 1);
      this.#retire(leaving);
    }
  }

  #sweep(): void {
    const now = performance.now();
    for (const entry of this.#entries) {
      entry.member?.check(now);
      if (!entry.retiring && entry.member?.idle && now - entry.lastUsed > this.#idleMs) this.#retire(entry);
    }
  }
}

/** Whether ending `a` is less disruptive than ending `b`. */
function isBetter(a: Entry, b: Entry): boolean {
  const idleA = a.member?.idle ?? false;
  return idleA === (b.member?.idle ?? false) ? a.lastUsed < b.lastUsed : idleA;
}
