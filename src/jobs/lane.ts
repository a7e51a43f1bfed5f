import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { InFlight } from '../core/in-flight.ts';
import type { Logger } from '../core/logger.ts';
import { retryDelayOf } from '../core/retry-later.ts';
import type { Db } from '../db/db.schema.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { unsynced } from '../db/transactions.ts';
import { requeueRunning } from './job-maintenance.ts';
import { type Outcome, writeOutcomes } from './job-outcomes.ts';
import { claimJobs, hasDueJobs } from './jobs.claim.ts';
import { type Lane, OUTBOUND_LANES, ROOT_QUOTAS } from './jobs.kinds.ts';
import { errorText, type Failure, type JobRegistration, outcomeOf, runJob } from './jobs.run.ts';
import type { LaneQuota } from './root-quotas.ts';

/** Shared state of the workers of all lanes. */
export interface WorkerContext {
  db: Db;
  clock: Clock;
  log: Logger;
  postgres: boolean;
  /** Registered kinds by name. */
  registrations: ReadonlyMap<string, JobRegistration>;
  /** Tracks running jobs. */
  inFlight: InFlight;
  /** Returns a new claim. */
  claim(): string;
  /** Called when a lane has no waiting jobs. */
  onEmpty(lane: string): void;
}

/** Numbers of outcomes in a lane since the process started. */
export interface LaneCounts {
  done: number;
  failed: number;
  dead: number;
}

const POLL_MS = 2_000;
/** First and longest delay between attempts to reach the database. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The workers of one lane: one loop claims as many jobs as workers are free, and writes outcomes of others in the same
 * transaction.
 */
export class LaneWorkers {
  readonly counts: LaneCounts = { done: 0, failed: 0, dead: 0 };
  readonly #context: WorkerContext;
  readonly #lane: Lane;
  readonly #workers: number;
  readonly #kinds: readonly string[];
  readonly #running = new Map<number, StoredJob>();
  readonly #abort = new AbortController();
  /** Abandoned runs: those that did not end when told to. */
  #left = 0;
  #ended: Outcome[] = [];
  /** Claims that may have been committed although the response was lost with the connection: their jobs run nowhere. */
  #uncertainClaims: string[] = [];
  #stopping = false;
  #woken = false;
  /** Whether there may be due jobs that this loop has not seen. */
  #mayBeDue = true;
  /** Time of the last poll, by the monotonic clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => {};
  #loop: Promise<void> | null = null;

  constructor(context: WorkerContext, lane: Lane, workers: number) {
    this.#context = context;
    this.#lane = lane;
    this.#workers = workers;
    this.#kinds = [...context.registrations.values()].flatMap(({ kind }) => (kind.lane === lane ? [kind.name] : []));
  }

  start(): void {
    if (this.#kinds.length > 0) this.#loop = this.#run();
  }

  /** Makes the lane poll now: there may be a job for it. */
  wake(): void {
    this.#mayBeDue = true;
    this.#resume();
  }

  #resume(): void {
    this.#woken = true;
    this.#wake();
  }

  /** Claims no more jobs, and resolves when running ones have ended. */
  stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    return this.#loop ?? Promise.resolve();
  }

  /** Whether abandoned runs have not ended. */
  get hasLeft(): boolean {
    return this.#left > 0;
  }

  /** Aborts running jobs. */
  abort(): void {
    this.#abort.abort();
    this.wake();
  }

  /** Free workers; abandoned runs do not count until they are as many as the workers. */
  get #free(): number {
    if (this.#stopping) return 0;
    return this.#workers - this.#running.size - Math.max(0, this.#left - this.#workers);
  }

  get #share(): LaneQuota | undefined {
    const limit = ROOT_QUOTAS[this.#lane];
    if (limit === undefined) return undefined;
    return { limit: limit, running: [...this.#running.values()].flatMap(({ project_id }) => project_id ?? []) };
  }

  async #run(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; ) {
      this.#woken = false;
      try {
        await this.#exchange();
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        this.#context.log.log('error', 'jobs cannot be claimed', { lane: this.#lane, error: String(error) });
        // Outcomes are written when the database is available again; jobs whose outcome is not written before the
        // process ends run again.
        if (this.#stopping && this.#abort.signal.aborted && this.#running.size === 0) return;
        await this.#pause(pause, false);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
        continue;
      }
      if (this.#ended.length > 0) continue;
      if (this.#stopping && this.#running.size === 0) return;
      if (!this.#woken) await this.#pause(POLL_MS, true);
      // Outcomes of the same moment are written together.
      await turn();
    }
  }

  /** Writes outcomes and claims further jobs. */
  async #exchange(): Promise<void> {
    const { db, clock, postgres } = this.#context;
    await this.#requeueUncertain();
    const now = clock.now().toISOString();
    const request = {
      lane: this.#lane,
      kinds: this.#kinds,
      limit: this.#free,
      now,
      claim: this.#context.claim(),
      share: this.#share,
    };
    const ended = [...this.#ended];
    const looks = request.limit > 0 && this.#shouldPoll();
    const due = looks && (await hasDueJobs(db, request));
    if (ended.length === 0 && !due) {
      if (looks && request.limit === this.#workers) this.#context.onEmpty(this.#lane);
      return;
    }
    if (due) this.#uncertainClaims.push(request.claim);
    // Outcomes lost in a power failure make the jobs run again, like jobs in progress.
    const synced = ended.length > 0 && OUTBOUND_LANES.has(this.#lane);
    const taken = await (synced ? db.transaction() : unsynced(db)).execute(async (db) => {
      await writeOutcomes(db, ended);
      return due ? claimJobs(db, postgres, request) : [];
    });
    this.#uncertainClaims = [];
    this.#ended = this.#ended.filter((outcome) => !ended.includes(outcome));
    for (const job of taken) this.#begin(job);
    // There may be more jobs than free workers, and written outcomes may have released others or made them wait.
    const isMore = taken.length > 0 && (taken.length === request.limit || request.share !== undefined);
    if (isMore || ended.some(({ job, to }) => job.order_key !== null || to !== 'done')) this.wake();
  }

  /** Whether to query the database: writers of jobs wake the lane, and jobs become due with time. */
  #shouldPoll(): boolean {
    const now = performance.now();
    if (!this.#mayBeDue && now - this.#lookedAt < POLL_MS) return false;
    // A wake-up from now on is not lost.
    this.#mayBeDue = false;
    this.#lookedAt = now;
    return true;
  }

  /** Releases jobs of claims whose response was lost. */
  async #requeueUncertain(): Promise<void> {
    for (const claim of this.#uncertainClaims) await requeueRunning(this.#context.db, { claim });
    this.#uncertainClaims = [];
  }

  #begin(job: StoredJob): void {
    const work = this.#context.registrations.get(job.kind)!;
    this.#running.set(job.id, job);
    // A storage move waits for readers of the old location and reads nothing else there itself.
    const end = this.#lane === 'moves' ? () => {} : this.#context.inFlight.begin();
    void runJob(work, job, this.#abort.signal).then((failure) => {
      // An abandoned run continues.
      if (failure?.left) void failure.left.finally(end);
      else end();
      this.#running.delete(job.id);
      this.#end(work, job, failure);
    });
  }

  #end(work: JobRegistration, job: StoredJob, failure: Failure | null): void {
    const { clock, log } = this.#context;
    const stopped = this.#abort.signal.aborted;
    const outcome = outcomeOf(work, job, failure, clock.now(), stopped);
    const failed = failure !== null && retryDelayOf(failure.error) === null;
    if (failed && !stopped) {
      const dead = outcome.to !== 'done' && outcome.to.state === 'dead';
      this.counts[dead ? 'dead' : 'failed'] += 1;
      log.log(dead ? 'error' : 'warn', 'job failed', {
        job: job.id,
        kind: job.kind,
        attempts: job.attempts,
        error: errorText(failure.error),
      });
    }
    if (!failed) this.counts.done += 1;
    if (failure?.left) {
      this.#left += 1;
      log.log('error', 'a job exceeded its timeout and does not end; it is abandoned', { job: job.id, kind: job.kind });
      void failure.left.then(() => {
        this.#left -= 1;
        this.wake();
      });
    }
    this.#ended.push(outcome);
    // A slot of the quota is free, which other jobs may wait for.
    if (ROOT_QUOTAS[this.#lane] !== undefined) this.#mayBeDue = true;
    this.#resume();
  }

  /** @param early whether waking the lane ends the pause */
  #pause(ms: number, early: boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        // A timer may fire slightly early; jobs that became due must not wait for the next one.
        this.#mayBeDue = true;
        resolve();
      }, ms);
      timer.unref();
      if (early) {
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }
    });
  }
}
