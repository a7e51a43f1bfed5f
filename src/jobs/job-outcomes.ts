import type { ExpressionBuilder } from 'kysely';
import { isUniqueViolation } from '../db/db.errors.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { SerializationConflict } from '../db/transactions.ts';

/** Outcome of a run: the job is removed, waits for another run, or is dead. */
export interface Outcome {
  job: StoredJob;
  to: 'done' | { state: 'waiting' | 'dead'; runAt: string; attempts: number; error: string | null };
}

const removeRun = prepared((db, { ids, claims }: { ids: readonly number[]; claims: readonly StoredJob['claim'][] }) =>
  db.deleteFrom('jobs').where('id', 'in', ids).where('state', '=', 'running').where('claim', 'in', claims),
);

/**
 * Makes jobs wait, in a transaction that is repeated if another one has written a job with the same key.
 * @throws SerializationConflict
 */
export async function retryOnKeyConflict<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error) ? new SerializationConflict(error) : error;
  }
}

/**
 * Writes the outcomes of jobs, within a transaction. Jobs taken over by another process are skipped. @throws
 * SerializationConflict
 */
export async function writeOutcomes(db: Db, outcomes: readonly Outcome[]): Promise<void> {
  const done = outcomes.flatMap(({ job, to }) => (to === 'done' ? [job] : []));
  if (done.length > 0) {
    await removeRun(db, { ids: done.map(({ id }) => id), claims: [...new Set(done.map(({ claim }) => claim))] });
  }
  const ended = [...done];
  for (const { job, to } of outcomes) if (to !== 'done' && !(await putBack(db, job, to))) ended.push(job);
  await releaseHeld(db, [...new Set(ended.flatMap(({ order_key }) => order_key ?? []))]);
}

/** @returns whether the job waits for another run */
async function putBack(db: Db, job: StoredJob, to: Exclude<Outcome['to'], 'done'>): Promise<boolean> {
  const mine = { id: job.id, claim: job.claim };
  if (job.unique_key !== null && to.state === 'waiting') {
    // Another job of the same key was written meanwhile: it does the work of this one, at its own time.
    const twin = await db
      .selectFrom('jobs')
      .select('id')
      .where('unique_key', '=', job.unique_key)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (twin !== undefined) {
      const deleted = await db
        .deleteFrom('jobs')
        .where('id', '=', mine.id)
        .where('state', '=', 'running')
        .where('claim', '=', mine.claim)
        .returning('run_at')
        .executeTakeFirst();
      if (deleted !== undefined && deleted.run_at > job.run_at) await bringForward(db, twin.id, deleted.run_at);
      return false;
    }
  }
  const write = db
    .updateTable('jobs')
    .set((eb) => {
      // A run was requested with `retryNow` while the job ran.
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

/** Moves a waiting job forward to the requested time of the job that it replaces. */
const bringForward = (db: Db, id: number, at: string) =>
  db
    .updateTable('jobs')
    .set({ run_at: at, turn_at: at })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('run_at', '>', at)
    .execute();

/**
 * The unique key of a job that becomes waiting; null if another job in one of these states has it by now, in which case
 * both run.
 */
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

/**
 * Releases the next job of each key after the previous one has ended, within a transaction. @throws
 * SerializationConflict
 */
export async function releaseHeld(db: Db, orderKeys: readonly string[]): Promise<void> {
  if (orderKeys.length === 0) return;
  await retryOnKeyConflict(() => releaseByKey(db, { orderKeys }));
}
