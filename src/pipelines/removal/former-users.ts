import type { State } from '../../ci/states.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { finishJob } from '../states/finish-job.ts';

/** Ends the jobs of a user who is blocked or deleted. */
const END_JOBS = jobKind<{ job_ids: number[] }>('ci.end-jobs-of-former-users', { lane: 'ci' });

/** States from which a job would continue or start by itself. */
const GOING: readonly State[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'scheduled',
];
const BATCH_SIZE = 200;

/**
 * Cancels the jobs of blocked and deleted users, so that nothing runs in their name or under an account that takes
 * their place.
 */
export function endJobsOfFormerUsers(deps: Deps): void {
  deps.lifecycle.userBlocked.add((db, id) => endJobsOf(deps, db, id));
  deps.lifecycle.userRemoved.add((db, { id }) => endJobsOf(deps, db, id));
  deps.jobs.register(END_JOBS, async ({ job_ids }) => {
    const end = { status: 'failed', failureReason: 'user_blocked' } as const;
    for (const id of job_ids) await finishJob(deps, id, end, { from: GOING });
  });
}

async function endJobsOf(deps: Deps, db: Db, userId: number): Promise<void> {
  const jobs = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '!=', 'status')
    .where('status', 'in', GOING)
    // Last jobs of a pipeline first, so that no job starts because a previous one has ended.
    .orderBy('id', 'desc')
    .execute();
  for (let at = 0; at < jobs.length; at += BATCH_SIZE) {
    const job_ids = jobs.slice(at, at + BATCH_SIZE).map(({ id }) => id);
    await deps.jobs.enqueue(db, END_JOBS, { job_ids });
  }
}
