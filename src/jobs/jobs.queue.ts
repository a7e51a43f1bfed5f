import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { InFlight } from '../core/in-flight.ts';
import type { Logger } from '../core/logger.ts';
import { inOwnScope } from '../core/request-scope.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { type Columns, columnsOf, prepared, rowsOf } from '../db/prepared.ts';
import { afterCommit } from '../db/transactions.ts';
import { type DrainOptions, drainJobs, isIdle } from './drain-jobs.ts';
import { FairScheduler } from './fairness.ts';
import { type RunningJobFilter, reassignLanes, releaseUnheld, requeueRunning } from './job-maintenance.ts';
import { type JobKind, LANES, type Lane, type Schedule } from './jobs.kinds.ts';
import { type JobHandler, type JobRegistration, MAX_BACKOFF_MS } from './jobs.run.ts';
import { type LaneCounts, LaneWorkers, type WorkerContext } from './lane.ts';
import { rescheduleOrphaned } from './orphaned-jobs.ts';
import { ensureRecurring } from './recurring.ts';
import { makeDue, removeWaiting } from './waiting-jobs.ts';

export interface JobOptions {
  /** No second job is written while one of that kind and key waits. */
  uniqueKey?: string | number;
  /**
   * Jobs with the same key run one at a time, in the order in which they were written; a failing job delays those
   * behind it.
   */
  orderKey?: string;
  /** Earliest time to run. */
  runAt?: Date;
  /** The project whose share of the lane the job uses. */
  projectId?: number | null;
  /** The domain event that the job belongs to, which is kept until the job has ended. */
  eventId?: number;
}

export interface NewJob<Payload> extends JobOptions {
  kind: JobKind<Payload>;
  payload: Payload;
}

/** Interval of checks whether maintenance is due. */
const LOOK_MS = 20_000;
/** Interval of maintenance: jobs scheduled far ahead by a wrong clock, or written by another version. */
const UPKEEP_MS = 600_000;

/** Jobs written by one statement. */
const BATCH_SIZE = 1000;

type NewRow = Insertable<Schema['jobs']>;

const insertJobs = prepared((db, rows: Columns<NewRow>) =>
  db
    .insertInto('jobs')
    .values(rowsOf(rows))
    .onConflict((conflict) => conflict.doNothing()),
);

const keyOf = (kind: JobKind, key: string | number): string => `${kind.name}:${key}`;

/**
 * Durable background jobs in one table. A job is written in the transaction that requires it; workers of its lane, in
 * any process, claim it after the commit. Jobs run at least once: those of a killed process run again. Failed jobs are
 * retried with growing delays.
 */
export class JobQueue {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #context: WorkerContext;
  readonly #registrations = new Map<string, JobRegistration>();
  readonly #turns = new FairScheduler();
  readonly #wakers = new Map<Lane, () => void>();
  #lanes = new Map<Lane, LaneWorkers>();
  #timer: NodeJS.Timeout | undefined;
  #maintaining: Promise<void> | null = null;
  #nextUpkeep = 0;
  #stopping: Promise<void> | null = null;

  /**
   * @param postgres whether other processes may work on the same jobs
   * @param inFlight tracks running jobs
   * @param processId id of this process among them
   */
  constructor(db: Db, clock: Clock, log: Logger, postgres: boolean, inFlight = new InFlight(), processId = 0) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    const prefix = `${processId}:${randomUUID()}`;
    let claims = 0;
    this.#context = {
      db,
      clock,
      log,
      postgres,
      registrations: this.#registrations,
      inFlight,
      claim: () => `${prefix}.${++claims}`,
      onEmpty: (lane) => this.#turns.reset(lane),
    };
    for (const lane of Object.keys(LANES) as Lane[]) this.#wakers.set(lane, () => this.#lanes.get(lane)?.wake());
  }

  /** Registers the handler of a job kind. Must be called before `start`. */
  register<Payload>(kind: JobKind<Payload>, handler: JobHandler<Payload>): void {
    this.#add({ kind, handler, schedule: null });
  }

  /**
   * Registers recurring work: one run at a time, in one process of all on the same data. A failed run is repeated after
   * a delay, at the latest at the next time of its schedule.
   */
  every(kind: JobKind<Record<string, never>>, schedule: Schedule, handler: JobHandler<Record<string, never>>): void {
    this.#add({ kind, handler, schedule });
  }

  #add(work: JobRegistration): void {
    const { name } = work.kind;
    if (this.#registrations.has(name)) throw new Error(`job kind ${name} is registered twice`);
    this.#registrations.set(name, work);
  }

  /** Whether this process has a handler for a kind. */
  knows(kind: string): boolean {
    return this.#registrations.has(kind);
  }

  /** Writes a job with the transaction's handle; workers are woken after the commit. */
  enqueue<Payload>(db: Db, kind: JobKind<Payload>, payload: Payload, options: JobOptions = {}): Promise<void> {
    return this.enqueueAll(db, [{ kind, payload, ...options }]);
  }

  /** Writes several jobs in few statements. */
  async enqueueAll(db: Db, jobs: readonly NewJob<unknown>[]): Promise<void> {
    const now = this.#clock.now();
    for (let at = 0; at < jobs.length; at += BATCH_SIZE) {
      await insertJobs(db, columnsOf(jobs.slice(at, at + BATCH_SIZE).map((job) => this.#row(job, now))));
    }
    for (const { kind, runAt = now } of jobs) if (runAt <= now) afterCommit(db, this.#wakers.get(kind.lane)!);
  }

  #row({ kind, payload, uniqueKey, orderKey, runAt, projectId = null, eventId }: NewJob<unknown>, now: Date) {
    const due = runAt ?? now;
    const turn = this.#turns.next(kind.lane, projectId, due.getTime(), now.getTime());
    return {
      kind: kind.name,
      payload: JSON.stringify(payload),
      unique_key: uniqueKey === undefined ? null : keyOf(kind, uniqueKey),
      run_at: due.toISOString(),
      turn_at: new Date(turn).toISOString(),
      last_error: null,
      created_at: now.toISOString(),
      lane: kind.lane,
      project_id: projectId,
      event_id: eventId ?? null,
      order_key: orderKey ?? null,
    };
  }

  /**
   * Removes the waiting job of a kind and key.
   * @param db handle of the transaction that makes it unnecessary
   * @returns whether there was one; running jobs are not affected
   */
  cancel(db: Db, kind: JobKind, uniqueKey: string | number): Promise<boolean> {
    return removeWaiting(db, keyOf(kind, uniqueKey));
  }

  /**
   * Makes jobs of an order key that wait for another attempt run now; a running job runs again immediately if it asks
   * for a later attempt.
   * @param db handle of the transaction that makes a new attempt worthwhile
   */
  async retryNow(db: Db, orderKey: string): Promise<void> {
    for (const lane of await makeDue(db, orderKey, this.#clock.now())) {
      const wake = this.#wakers.get(lane as Lane);
      if (wake !== undefined) afterCommit(db, wake);
    }
  }

  /** Makes the jobs of a dead process run again. Only for the start of a server that is alone on its data. */
  async reclaim(): Promise<void> {
    await requeueRunning(this.#db);
  }

  /** Makes the jobs of a dead process run again. */
  async reclaimFrom(processId: number): Promise<void> {
    await this.#requeue({ process: processId });
  }

  /** Makes running jobs of unknown processes run again: from a restored backup or an earlier version. */
  async reclaimUnknown(processIds: readonly number[]): Promise<void> {
    await this.#requeue({ notOf: processIds });
  }

  async #requeue(filter: RunningJobFilter): Promise<void> {
    const jobs = await requeueRunning(this.#db, filter);
    if (jobs === 0) return;
    this.#log.log('warn', 'jobs of a dead process run again', { jobs });
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Starts the workers of all lanes. */
  start(): void {
    for (const [lane, workers] of Object.entries(LANES) as [Lane, number][]) {
      this.#lanes.set(lane, new LaneWorkers(this.#context, lane, workers));
    }
    this.#timer = setInterval(() => this.#scheduleMaintenance(), LOOK_MS).unref();
    this.#scheduleMaintenance();
    for (const lane of this.#lanes.values()) lane.start();
  }

  /**
   * Stops the workers: no job is claimed any more, and running jobs may end.
   * @param deadline aborts running jobs, immediately by default; jobs in the slow lane are aborted immediately in any
   *   case
   */
  async stop(deadline: AbortSignal = AbortSignal.abort()): Promise<void> {
    this.#stopping ??= this.#halt();
    this.#lanes.get('slow')?.abort();
    this.#lanes.get('moves')?.abort();
    this.#lanes.get('transfers')?.abort();
    await this.#abortAt(deadline, this.#stopping);
  }

  /**
   * Stops the workers until `resume`, if they were started.
   * @param deadline aborts running jobs, which run again after `resume`
   * @returns whether all have ended; abandoned ones go on
   */
  async pause(deadline: AbortSignal): Promise<boolean> {
    if (this.#timer === undefined) return true;
    await this.#abortAt(deadline, this.#halt());
    this.#timer = undefined;
    return ![...this.#lanes.values()].some(({ hasLeft }) => hasLeft);
  }

  /** Starts the workers again after `pause`, as those of a new process would be. */
  resume(): void {
    this.#turns.clear();
    // Who has asked for it has nothing to do with the jobs.
    if (this.#lanes.size > 0 && this.#timer === undefined && this.#stopping === null) inOwnScope(() => this.start());
  }

  async #halt(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    await this.#maintaining;
  }

  async #abortAt(deadline: AbortSignal, ended: Promise<void>): Promise<void> {
    const cut = () => {
      for (const lane of this.#lanes.values()) lane.abort();
    };
    if (deadline.aborted) cut();
    else deadline.addEventListener('abort', cut, { once: true });
    await ended;
    deadline.removeEventListener('abort', cut);
  }

  /**
   * Runs all due jobs and their follow-ups to the end; recurring jobs run once, even if they become due again. For
   * tests and tools.
   * @param aheadMs jobs due within this many milliseconds count as due
   */
  drain(aheadMs = 0, options: DrainOptions = {}): Promise<void> {
    return drainJobs(this.#context, aheadMs, options);
  }

  /** Whether no job runs in any process, and none is due that this process knows how to run. */
  isIdle(): Promise<boolean> {
    return isIdle(this.#context);
  }

  /** Makes the workers look for due jobs now, as after the clock was moved. */
  async recheck(): Promise<void> {
    await this.maintain();
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Outcomes of runs in this process, by lane. */
  counts(): Map<Lane, LaneCounts> {
    return new Map([...this.#lanes].map(([lane, { counts }]) => [lane, counts]));
  }

  #scheduleMaintenance(): void {
    this.#maintaining ??= this.#maintenance()
      .catch((error: unknown) => this.#log.log('error', 'maintenance of jobs failed', { error: String(error) }))
      .finally(() => {
        this.#maintaining = null;
      });
  }

  async #maintenance(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextUpkeep) return;
    await this.maintain();
    this.#nextUpkeep = now + UPKEEP_MS;
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Repairs what a wrong clock or another version has left in the table, and ensures that recurring jobs exist. */
  async maintain(): Promise<void> {
    const now = this.#clock.now();
    const laneOf = (kind: string) => this.#registrations.get(kind)?.kind.lane;
    for (const { kind, jobs } of await reassignLanes(this.#db, laneOf, now)) {
      this.#log.log('warn', 'there are jobs of kinds that this version does not know', { kind, jobs });
    }
    await releaseUnheld(this.#db);
    await ensureRecurring(this.#db, this.#registrations.values(), now);
    const back = await rescheduleOrphaned(this.#db, now, MAX_BACKOFF_MS);
    if (back > 0) this.#log.log('warn', 'jobs scheduled far ahead by a wrong clock were rescheduled', { jobs: back });
  }
}
