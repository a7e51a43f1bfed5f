import { retryDelayOf } from '../core/retry-later.ts';
import { type Outcome, writeOutcomes } from './job-outcomes.ts';
import { claimJobs } from './jobs.claim.ts';
import { errorText, type JobRegistration, outcomeOf, runJob } from './jobs.run.ts';
import type { WorkerContext } from './lane.ts';

export interface DrainOptions {
  /** Which work is done; default: all. The rest stays. */
  only?: (work: Pick<JobRegistration, 'kind' | 'schedule'>) => boolean;
  /** So many jobs are claimed at once, which saves commits; default 1. */
  atOnce?: number;
}

/**
 * Runs all due jobs and their follow-ups to the end, one after the other; recurring jobs run once, even if they become
 * due again.
 * @param aheadMs jobs due within this many milliseconds count as due
 */
export async function drainJobs(
  context: WorkerContext,
  aheadMs: number,
  { only = () => true, atOnce = 1 }: DrainOptions,
): Promise<void> {
  const { db, clock, log, postgres, registrations } = context;
  const all = [...registrations.values()].filter(only);
  const kinds = new Set(all.map(({ kind }) => kind.name));
  for (let ended: Outcome[] = []; ; ) {
    const now = new Date(clock.now().getTime() + aheadMs).toISOString();
    const request = { kinds: [...kinds], limit: kinds.size === 0 ? 0 : atOnce, now, claim: context.claim() };
    const jobs = await db.transaction().execute(async (db) => {
      await writeOutcomes(db, ended);
      return claimJobs(db, postgres, request);
    });
    if (jobs.length === 0) return;
    ended = [];
    for (const job of jobs) {
      const work = registrations.get(job.kind)!;
      if (work.schedule !== null) kinds.delete(job.kind);
      const failure = await runJob(work, job, new AbortController().signal);
      const failed = failure !== null && retryDelayOf(failure.error) === null;
      if (failed) log.log('warn', 'job failed', { kind: job.kind, error: errorText(failure.error) });
      ended.push(outcomeOf(work, job, failure, clock.now(), false));
    }
  }
}

/** Whether no job runs in any process, and none is due that this process knows how to run. */
export async function isIdle({ db, clock, registrations }: WorkerContext): Promise<boolean> {
  const kinds = [...registrations.keys()];
  if (kinds.length === 0) return true;
  const now = clock.now().toISOString();
  const busy = await db
    .selectFrom('jobs')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('state', '=', 'running'),
        eb.and([eb('state', '=', 'waiting'), eb('run_at', '<=', now), eb('kind', 'in', kinds)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return busy === undefined;
}
