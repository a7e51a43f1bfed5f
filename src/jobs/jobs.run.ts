import { environmentFaultOf } from '../core/environment-fault.ts';
import { isResourceExhaustion } from '../core/resource-exhaustion.ts';
import { retryDelayOf } from '../core/retry-later.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import type { Outcome } from './job-outcomes.ts';
import type { JobKind, Schedule } from './jobs.kinds.ts';
import { nextRun } from './jobs.kinds.ts';

/** Handler of a job kind. A job may run more than once, so handlers have to be idempotent. */
export type JobHandler<T> = (payload: T, job: { id: number; attempts: number; signal: AbortSignal }) => Promise<void>;

/** A job kind with its handler in this process. */
export interface JobRegistration {
  kind: JobKind;
  handler: JobHandler<never>;
  /** Set for recurring work. */
  schedule: Schedule | null;
}

/** Milliseconds to wait for a run after its signal was aborted. */
const GRACE_MS = 5_000;
/** Longest delay after a failure. */
export const MAX_BACKOFF_MS = 3_600_000;
const MAX_ERROR = 2_000;

export type Failure = { error: unknown; left: Promise<unknown> | null };

/**
 * Runs a job once. Its signal is aborted on timeout and on `stop`; a few seconds later the run is abandoned.
 * @returns null if it succeeded; else the reason of the failure, and the promise of an abandoned run
 */
export async function runJob(
  { kind, handler }: JobRegistration,
  job: StoredJob,
  stop: AbortSignal,
): Promise<Failure | null> {
  if (job.attempts > kind.maxAttempts)
    return { error: new Error('the process ended during every attempt'), left: null };
  const limit = new AbortController();
  // `AbortSignal.timeout` would stay in memory for the whole time, long after the run.
  const limitTimer = setTimeout(
    () => limit.abort(new DOMException('The run takes too long.', 'TimeoutError')),
    kind.timeoutMs,
  );
  limitTimer.unref();
  const signal = AbortSignal.any([stop, limit.signal]);
  const late = () => (limit.signal.aborted ? new Error(`it took longer than ${kind.timeoutMs / 1_000} seconds`) : null);
  const work = (async () =>
    handler(JSON.parse(job.payload) as never, { id: job.id, attempts: job.attempts, signal }))();
  const ended = work.then(
    () => null,
    (error: unknown): Failure => ({ error: late() ?? error, left: null }),
  );
  const { promise: abandoned, resolve } = Promise.withResolvers<Failure>();
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    const error = late() ?? new Error('the server was stopped');
    timer = setTimeout(() => resolve({ error, left: ended }), GRACE_MS);
  };
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([ended, abandoned]);
  } finally {
    // The signal outlives the run: a stop would set a timer for each run that ended before.
    signal.removeEventListener('abort', giveUp);
    clearTimeout(timer);
    clearTimeout(limitTimer);
  }
}

/**
 * The outcome of a run.
 * @param stopped whether the server was told to stop, which is no failure
 */
export function outcomeOf(
  { kind, schedule }: Pick<JobRegistration, 'kind' | 'schedule'>,
  job: StoredJob,
  failure: Failure | null,
  now: Date,
  stopped: boolean,
): Outcome {
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
  if (failure === null) {
    if (schedule === null) return { job, to: 'done' };
    const runAt = nextRun(schedule, now).toISOString();
    return { job, to: { state: 'waiting', runAt, attempts: 0, error: null } };
  }
  const { error } = failure;
  const text = errorText(error).slice(0, MAX_ERROR);
  if (stopped)
    return { job, to: { state: 'waiting', runAt: at(0), attempts: job.attempts - 1, error: job.last_error } };
  const again = retryDelayOf(error);
  // Not a failure: the job has nothing to do yet.
  if (again !== null)
    return { job, to: { state: 'waiting', runAt: at(again), attempts: job.attempts - 1, error: job.last_error } };
  const pause = Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** Math.min(job.attempts, 20));
  // Faults of the environment do not count as attempts.
  const around = environmentFaultOf(error) !== null || isResourceExhaustion(error);
  const attempts = around ? job.attempts - 1 : job.attempts;
  // Work that is too expensive would fail each time.
  const permanent = error instanceof Error && 'permanent' in error && error.permanent === true;
  const over = !around && (permanent || job.attempts >= kind.maxAttempts);
  if (schedule !== null) {
    const next = nextRun(schedule, now).toISOString();
    const runAt = over || at(pause) > next ? next : at(pause);
    return { job, to: { state: 'waiting', runAt, attempts: over ? 0 : attempts, error: text } };
  }
  return { job, to: { state: over ? 'dead' : 'waiting', runAt: at(pause), attempts, error: text } };
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
