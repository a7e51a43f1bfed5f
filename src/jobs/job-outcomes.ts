import type { ExpressionBuilder } from 'kysely';
import { isUniqueViolation } from '../db/db.errors.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { SerializationConflict } from '../db/transactions.ts';

/** How a run of a job ended: it is gone, waits for another run, or is dead. */
export interface Outcome {
  job: StoredJob;
  to: 'done' | { state: 'waiting' | 'dead'; runAt: string; attempts: number; error: string | null };
}

const removeRun = prepared((db, { ids, claims }: { ids: readonly number[]; claims: readonly StoredJob['claim'][] }) =>
  db.deleteFrom('jobs').where('id', 'in', ids).where('state', '=', 'running').where('claim', 'in', claims),
);

/**
 * Lets jobs wait, within a transaction, which begins again where another one has meanwhile written a job of the same key.
 * @throws SerializationConflict
 */
export async function retryOnKeyConflict<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error) ? new SerializationConflict(error) : error;
  }
}

/** Writes how jobs ended, within a transaction. What another process has taken over meanwhile is left to it. @throws SerializationConflict */
export async function writeOutcomes(db: Db, outcomes: readonly Outcome[]): Promise<void> {
  const done = outcomes.flatMap(({ job, to }) => (to === 'done' ? [job] : []));
  if (done.length > 0) {
    await removeRun(db, { ids: done.map(({ id }) => id), claims: [...new Set(done.map(({ claim }) => claim))] });
  }
  const ended = [...done];
  for (const { job, to } of outcomes) if (to !== 'done' && !(await putBack(db, job, to))) ended.push(job);
  await releaseHeld(db, [...new Set(ended.flatMap(({ order_key }) => order_key ?? []))]);
}

/** @returns whether it waits for another run */
async function putBack(db: Db, job: StoredJob, to: Exclude<Outcome['to'], 'done'>): Promise<boolean> {
  const mine = { id: job.id, claim: job.claim };
  if (job.unique_key !== null && to.state === 'waiting') {
    // One of the same key has been written meanwhile: it does this one's work, at its own time.
    const twin = await db
      .selectFrom('jobs')
      .select('id')
      .where('unique_key', '=', job.unique_key)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (twin !== undefined) {
      const given = await db
        .deleteFrom('jobs')
        .where('id', '=', mine.id)
        .where('state', '=', 'running')
        .where('claim', '=', mine.claim)
        .returning('run_at')
        .executeTakeFirst();
      if (given !== undefined && given.run_at > job.run_at) await bringForward(db, twin.id, given.run_at);
      return false;
    }
  }
  const write = db
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
    .where('claim', '=', mine.claim);
  await retryOnKeyConflict(() => write.execute());
  return to.state === 'waiting';
}

/** Brings a waiting job forward to when the one that it stands for was asked to run. */
const bringForward = (db: Db, id: number, at: string) =>
  db
    .updateTable('jobs')
    .set({ run_at: at, turn_at: at })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('run_at', '>', at)
    .execute();

/** The unique key of a job that is to wait: none where another one in one of these states has it by now, for then both run. */
export const keyUnlessTaken = (eb: ExpressionBuilder<Schema, 'jobs'>, states: readonly StoredJob['state'][]) =>
  eb
    .case()
    .when(
      eb.exists(
        eb
          .selectFrom('jobs as twin')
          .select('twin.id')
          .whereRef('twin.unique_key', '=', 'jobs.unique_key')
          .whereRef('twin.id', '<>', 'jobs.id')
          .where('twin.state', 'in', states),
      ),
    )
    .then(null)
    .else(eb.ref('jobs.unique_key'))
    .end();

const releaseByKey = prepared((db, { orderKeys }: { orderKeys: readonly string[] }) =>
  db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'waiting',
      unique_key: keyUnlessTaken(eb, ['waiting']),
    }))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('jobs as next')
        .select((inner) => inner.fn.min('next.id').as('id'))
        .where('next.order_key', 'in', orderKeys)
        .where('next.state', '=', 'held')
        .groupBy('next.order_key'),
    ),
);

/** Lets the next job of each key go, once the one before it has ended, within a transaction. @throws SerializationConflict */
export async function releaseHeld(db: Db, orderKeys: readonly string[]): Promise<void> {
  if (orderKeys.length === 0) return;
  await retryOnKeyConflict(() => releaseByKey(db, { orderKeys }));
}
