import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { faultOf } from '../core/surroundings.ts';
import { isUniqueViolation } from '../db/errors.ts';
import type { Db } from '../db/schema.ts';
import type { StoredJob } from '../db/tables/instance.ts';
import { afterCommit } from '../db/transactions.ts';
import { bringBackJobs } from './stranded.ts';

/** What a job of one kind does. It may run more than once for one job, so it must bear that. */
export type JobHandler<T> = (payload: T, job: { id: number; attempts: number; signal: AbortSignal }) => Promise<void>;

export interface JobKind {
  /** After so many failures, or one whose error says that it is `lasting`, the job is kept as dead, for a person to look at. */
  maxAttempts?: number;
  /** Milliseconds a run may take; the lease lasts as long. */
  timeoutMs?: number;
}

interface Registered extends Required<JobKind> {
  handler: JobHandler<never>;
}

const WORKERS = 2;
const POLL_MS = 2_000;
const MAX_BACK_OFF_MS = 3_600_000;
/** A lease lasts so much longer than its job may run. */
const LEASE_SLACK_MS = 30_000;
/** Between two attempts to write how a job ended: the first, and the longest. */
const RECORD_PAUSE_MS = 100;
const MAX_RECORD_PAUSE_MS = 5_000;
/** How often jobs are looked for that a wrong clock has put far into the future. */
const BRING_BACK_EVERY_MS = 600_000;

/**
 * Durable background work in one table. A job is written in the transaction that makes it necessary; workers of any
 * process take it with a lease, so that the work of a killed process is taken up again. At least once, in order of
 * `run_at` and id, with growing pauses after failures.
 */
export class JobQueue {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #kinds = new Map<string, Registered>();
  readonly #stop = new AbortController();
  #wake: (() => void)[] = [];
  #workers: Promise<void>[] = [];
  #nextBringBack = 0;

  constructor(db: Db, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  /** Names what runs for a kind of job. Before `start`. */
  register<T>(kind: string, handler: JobHandler<T>, options: JobKind = {}): void {
    if (this.#kinds.has(kind)) throw new Error(`job kind ${kind} is registered twice`);
    this.#kinds.set(kind, { handler, maxAttempts: options.maxAttempts ?? 20, timeoutMs: options.timeoutMs ?? 600_000 });
  }

  /**
   * Writes a job with the transaction's handle; workers are woken once it has committed.
   * @param options `uniqueKey`: while a job of that key waits, no second one is written; `runAt`: not before this instant
   */
  async enqueue(
    db: Db,
    kind: string,
    payload: unknown,
    options: { uniqueKey?: string; runAt?: Date } = {},
  ): Promise<void> {
    const now = timestamp(this.#clock);
    await db
      .insertInto('jobs')
      .values({
        kind,
        payload: JSON.stringify(payload),
        unique_key: options.uniqueKey ?? null,
        run_at: options.runAt?.toISOString() ?? now,
        lease_until: null,
        last_error: null,
        created_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (options.runAt === undefined || options.runAt <= this.#clock.now()) afterCommit(db, this.#wakeUp);
  }

  /**
   * Removes the waiting job of a key.
   * @param db the handle of the transaction that makes it unnecessary
   * @returns whether there was one; a job that runs already is none
   */
  async cancel(db: Db, uniqueKey: string): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('jobs')
      .where('unique_key', '=', uniqueKey)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  /**
   * Takes the jobs of a dead process up again at once rather than when their leases end. Only for the start of a server
   * that is alone.
   */
  async reclaim(): Promise<void> {
    await this.#db.updateTable('jobs').set({ lease_until: '' }).where('state', '=', 'running').execute();
  }

  /** Wakes the workers of this process. */
  readonly #wakeUp = (): void => {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  };

  start(): void {
    this.#workers = Array.from({ length: WORKERS }, () => this.#work());
  }

  /** Ends the workers: running jobs are told by their signal and awaited. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wakeUp();
    await Promise.all(this.#workers);
  }

  /**
   * Runs everything that is due, and what follows from it, to the end. For tests and tools.
   * @param aheadMs what is due so many milliseconds from now counts as due
   */
  async drain(aheadMs = 0): Promise<void> {
    while (await this.#runNext(aheadMs)) {
      // Each round takes one job.
    }
  }

  async #work(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      let ran = false;
      try {
        await this.#bringBack();
        ran = await this.#runNext();
      } catch (error) {
        this.#log.log('error', 'jobs cannot be taken', { error: String(error) });
      }
      if (!ran && !this.#stop.signal.aborted) await this.#pause();
    }
  }

  async #bringBack(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextBringBack) return;
    this.#nextBringBack = now + BRING_BACK_EVERY_MS;
    const count = await bringBackJobs(this.#db, this.#clock.now(), MAX_BACK_OFF_MS);
    if (count > 0)
      this.#log.log('warn', 'jobs that a wrong clock had put far ahead were brought back', { jobs: count });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      timer.unref();
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #runNext(aheadMs = 0): Promise<boolean> {
    const job = await this.#take(aheadMs);
    if (job === undefined) return false;
    const kind = this.#kinds.get(job.kind);
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(kind?.timeoutMs ?? 1_000)]);
    let failure: { error: unknown } | null = null;
    try {
      if (kind === undefined) throw new Error(`no handler for jobs of kind ${job.kind}`);
      if (job.attempts > kind.maxAttempts) throw new Error('its process ended at every attempt');
      await kind.handler(JSON.parse(job.payload) as never, { id: job.id, attempts: job.attempts, signal });
    } catch (error) {
      failure = { error };
    }
    if (failure !== null) this.#note(job, kind, failure.error);
    await this.#record(() => (failure === null ? this.#remove(job) : this.#fail(job, kind, failure.error)));
    return true;
  }

  async #remove({ id }: StoredJob): Promise<void> {
    await this.#db.deleteFrom('jobs').where('id', '=', id).execute();
  }

  /** Writes how a job ended, again and again while the database is away: else it would hang until its lease ends. */
  async #record(write: () => Promise<void>): Promise<void> {
    for (let pause = RECORD_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_RECORD_PAUSE_MS)) {
      try {
        await write();
        return;
      } catch (error) {
        if (faultOf(error) === null || this.#stop.signal.aborted) throw error;
        await sleep(pause, undefined, { ref: false, signal: this.#stop.signal }).catch(() => {});
      }
    }
  }

  async #take(aheadMs: number): Promise<StoredJob | undefined> {
    const now = this.#clock.now();
    const kinds = [...this.#kinds.keys()];
    if (kinds.length === 0) return undefined;
    const timeouts = [...this.#kinds.values()].map(({ timeoutMs }) => timeoutMs);
    const longest = new Date(now.getTime() + Math.max(...timeouts) + 2 * LEASE_SLACK_MS).toISOString();
    const candidate = await this.#db
      .selectFrom('jobs')
      .select(['id', 'kind', 'attempts'])
      .where((eb) =>
        eb.or([
          eb.and([eb('state', '=', 'waiting'), eb('run_at', '<=', new Date(now.getTime() + aheadMs).toISOString())]),
          eb.and([eb('state', '=', 'running'), eb('lease_until', '<', now.toISOString())]),
          // Taken by a clock that ran ahead.
          eb.and([eb('state', '=', 'running'), eb('lease_until', '>', longest)]),
        ]),
      )
      .where('kind', 'in', kinds)
      .orderBy('run_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (candidate === undefined) return undefined;
    const lease = this.#kinds.get(candidate.kind)!.timeoutMs + LEASE_SLACK_MS;
    const taken = await this.#db
      .updateTable('jobs')
      .set({
        state: 'running',
        attempts: candidate.attempts + 1,
        lease_until: new Date(now.getTime() + lease).toISOString(),
      })
      .where('id', '=', candidate.id)
      .where('attempts', '=', candidate.attempts)
      .returningAll()
      .executeTakeFirst();
    // Another worker was faster: look for the next one.
    return taken ?? this.#take(aheadMs);
  }

  /** Whether a job that failed is given up: not for what was wrong around it. */
  #isDead(job: StoredJob, kind: Registered | undefined, error: unknown): boolean {
    if (faultOf(error) !== null) return false;
    // What costs too much would come to the same end each time.
    const lasting = error instanceof Error && 'lasting' in error && error.lasting === true;
    return lasting || job.attempts >= (kind?.maxAttempts ?? 1);
  }

  #note(job: StoredJob, kind: Registered | undefined, error: unknown): void {
    this.#log.log(this.#isDead(job, kind, error) ? 'error' : 'warn', 'job failed', {
      job: job.id,
      kind: job.kind,
      attempts: job.attempts,
      error: textOf(error),
    });
  }

  async #fail(job: StoredJob, kind: Registered | undefined, error: unknown): Promise<void> {
    const pause = Math.min(MAX_BACK_OFF_MS, 1_000 * 2 ** Math.min(job.attempts, 20));
    try {
      await this.#db
        .updateTable('jobs')
        .set({
          state: this.#isDead(job, kind, error) ? 'dead' : 'waiting',
          // What was wrong around it counts for nothing.
          attempts: faultOf(error) === null ? job.attempts : job.attempts - 1,
          lease_until: null,
          last_error: textOf(error).slice(0, 2_000),
          run_at: new Date(this.#clock.now().getTime() + pause).toISOString(),
        })
        .where('id', '=', job.id)
        .execute();
    } catch (failure) {
      // One of the same key has been written meanwhile: it does this one's work.
      if (!isUniqueViolation(failure)) throw failure;
      await this.#remove(job);
    }
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
