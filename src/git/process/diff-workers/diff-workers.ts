import { FairSlots } from '../../../core/fair-slots.ts';
import { currentScope } from '../../../core/request-scope.ts';
import { GitError } from '../../common/index.ts';
import { acquireSlot } from '../git.process.ts';
import { type DiffCommand, DiffProcess, type DiffQuestion } from './diff-process.ts';
import { orRelease, type WorkerLimiter, type WorkerSlot } from './worker-limiter.ts';

const MAX_WAITING = 200;
/**
 * A question that runs longer than this many milliseconds no longer counts towards the limit: the next one gets another
 * process.
 */
const LONG_MS = 500;

interface Worker {
  process: DiffProcess;
  slot: WorkerSlot;
}

/** Answers questions about changes in one repository with long-lived processes. */
export class DiffWorkers {
  readonly #dir: string;
  readonly #command: DiffCommand;
  readonly #slots: WorkerLimiter;
  readonly #places: FairSlots;
  readonly #concurrency: number;
  /** Idle processes, last used at the end. */
  #idle: Worker[] = [];

  /** @param concurrency maximum number of concurrent questions, without long-running ones */
  constructor(dir: string, slots: WorkerLimiter, command: DiffCommand, concurrency: number) {
    this.#dir = dir;
    this.#command = command;
    this.#slots = slots;
    this.#concurrency = concurrency;
    this.#places = new FairSlots({
      total: concurrency,
      perKey: concurrency,
      maxWaiting: MAX_WAITING,
      maxWaitingPerKey: MAX_WAITING,
      refuse: () => new GitError('busy', 'too many diffs of this repository are waiting'),
    });
  }

  /**
   * Asks a process. A question costs as much as a command, so it takes a slot of those.
   * @throws GitError `failed` or `output_too_large` if git exits, `timeout`, `aborted`, `busy`, `caller_busy`
   */
  async ask(question: Omit<DiffQuestion, 'signal'>): Promise<void> {
    const { caller, signal } = currentScope();
    const leave = await acquireSlot('command', caller, signal);
    try {
      const free = await this.#enter(caller, signal);
      const timer = setTimeout(free, LONG_MS);
      try {
        await this.#ask({ ...question, signal });
      } finally {
        clearTimeout(timer);
        free();
      }
    } finally {
      leave();
    }
  }

  /** Ends the processes after their current question; the next question starts a new one. */
  retire(): void {
    for (const { process } of this.#idle.splice(0)) process.retire();
  }

  async #enter(caller: string, signal: AbortSignal | undefined): Promise<() => void> {
    try {
      return await this.#places.take(caller, { signal });
    } catch (error) {
      throw signal?.aborted ? new GitError('aborted', 'aborted while waiting') : error;
    }
  }

  async #ask(question: DiffQuestion): Promise<void> {
    const worker = this.#idle.pop() ?? (await this.#start());
    try {
      await worker.process.ask(question);
    } finally {
      worker.slot.touch();
      if (worker.process.usable && this.#idle.length < this.#concurrency) this.#idle.push(worker);
      else worker.process.retire();
    }
  }

  async #start(): Promise<Worker> {
    const slot = await this.#slots.acquire();
    const leave = () => {
      this.#idle = this.#idle.filter((worker) => worker.slot !== slot);
    };
    const process = orRelease(slot, () => {
      return new DiffProcess(this.#dir, this.#command, () => {
        leave();
        slot.release();
      });
    });
    slot.hold({
      get idle() {
        return process.idle;
      },
      retire: () => {
        leave();
        process.retire();
      },
      // Each question has its own time limit.
      check: () => {},
    });
    return { process, slot };
  }
}
