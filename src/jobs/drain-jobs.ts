import { retryDelayOf } from '../core/retry-later.ts';
import { writeOutcomes } from './job-outcomes.ts';
import { claimJobs } from './jobs.claim.ts';
import type { Lane } from './jobs.kinds.ts';
import { errorText, outcomeOf, runJob } from './jobs.run.ts';
import type { WorkerContext } from './lane.ts';

/**
 * Runs all due jobs and their follow-ups to the end, one after the other; recurring jobs run once, even if they become
 * due again.
 * @param aheadMs jobs due within this many milliseconds count as due
 * @param without lanes whose jobs stay
 */
export async function drainJobs(context: WorkerContext, aheadMs: number, without: readonly Lane[]): Promise<void> {
  const { db, clock, log, postgres, registrations } = context;
  const all = [...registrations.values()].filter(({ kind }) => !without.includes(kind.lane));
  const kinds = new Set(all.map(({ kind }) => kind.name));
  for (;;) {
    const now = new Date(clock.now().getTime() + aheadMs).toISOString();
    const request = { kinds: [...kinds], limit: 1, now, claim: context.claim() };
    if (request.kinds.length === 0) return;
    const [job] = await db.transaction().execute((db) => claimJobs(db, postgres, request));
    if (job === undefined) return;
    const work = registrations.get(job.kind)!;
    if (work.schedule !== null) kinds.delete(job.kind);
    const failure = await runJob(work, job, new AbortController().signal);
    const failed = failure !== null && retryDelayOf(failure.error) === null;
    if (failed) log.log('warn', 'job failed', { kind: job.kind, error: errorText(failure.error) });
    const outcome = outcomeOf(work, job, failure, clock.now(), false);
    await db.transaction().execute((db) => writeOutcomes(db, [outcome]));
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
