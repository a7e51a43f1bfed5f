import { prepared } from '../db/prepared.ts';
import type { Db } from '../db/schema.ts';
import type { StoredJob } from '../db/tables/jobs.ts';

/** How a run of a job ended: it is gone, waits for another run, or is dead. */
export interface Outcome {
  job: StoredJob;
  to: 'done' | { state: 'waiting' | 'dead'; runAt: string; attempts: number; error: string | null };
}

const removeRun = prepared((db, { ids, claims }: { ids: readonly number[]; claims: readonly StoredJob['claim'][] }) =>
  db.deleteFrom('jobs').where('id', 'in', ids).where('state', '=', 'running').where('claim', 'in', claims),
);

/** Writes how jobs ended, within a transaction. What another process has taken over meanwhile is left to it. */
export async function settleJobs(db: Db, outcomes: readonly Outcome[]): Promise<void> {
  const done = outcomes.flatMap(({ job, to }) => (to === 'done' ? [job] : []));
  if (done.length > 0) {
    await removeRun(db, { ids: done.map(({ id }) => id), claims: [...new Set(done.map(({ claim }) => claim))] });
  }
  for (const { job, to } of outcomes) if (to !== 'done') await putBack(db, job, to);
  const ended = outcomes.filter(({ to }) => to === 'done' || to.state === 'dead');
  await releaseHeld(db, [...new Set(ended.flatMap(({ job }) => job.order_key ?? []))]);
}

async function putBack(db: Db, job: StoredJob, to: Exclude<Outcome['to'], 'done'>): Promise<void> {
  const mine = { id: job.id, claim: job.claim };
  if (job.unique_key !== null && to.state === 'waiting') {
    // One of the same key has been written meanwhile: it does this one's work.
    const twin = await db
      .selectFrom('jobs')
      .select('id')
      .where('unique_key', '=', job.unique_key)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (twin !== undefined) {
      await db.deleteFrom('jobs').where('id', '=', mine.id).where('claim', '=', mine.claim).execute();
      return;
    }
  }
  await db
    .updateTable('jobs')
    .set((eb) => {
      // It was asked to run again at once (`retryNow`) while it ran.
      const asked = eb.case().when('run_at', '>', job.run_at);
      return {
        state: to.state,
        run_at: asked.then(eb.ref('run_at')).else(to.runAt).end(),
        turn_at: asked.then(eb.ref('run_at')).else(to.runAt).end(),
        attempts: to.attempts,
        last_error: to.error,
        claim: null,
      };
    })
    .where('id', '=', mine.id)
    .where('state', '=', 'running')
    .where('claim', '=', mine.claim)
    .execute();
}

const letGo = prepared((db, { orderKeys }: { orderKeys: readonly string[] }) =>
  db
    .updateTable('jobs')
    .set({ state: 'waiting' })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('jobs as next')
        .select((inner) => inner.fn.min('next.id').as('id'))
        .where('next.order_key', 'in', orderKeys)
        .where('next.state', '=', 'held')
        .groupBy('next.order_key'),
    ),
);

/** Lets the next job of each key go, once the one before it has ended. */
export async function releaseHeld(db: Db, orderKeys: readonly string[]): Promise<void> {
  if (orderKeys.length === 0) return;
  await letGo(db, { orderKeys });
}
