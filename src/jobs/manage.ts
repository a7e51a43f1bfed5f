import type { SelectQueryBuilder } from 'kysely';
import { pluck } from '../core/pluck.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { inBatches } from '../db/in-batches.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { releaseUnheld } from './job-maintenance.ts';

/** Selects jobs: all conditions must hold. */
export interface Selection {
  ids?: readonly number[];
  states?: readonly StoredJob['state'][];
  lane?: string;
  kind?: string;
}

/** Columns of listed jobs: all but the payload. */
export const JOB_COLUMNS = [
  'id',
  'kind',
  'lane',
  'state',
  'attempts',
  'run_at',
  'created_at',
  'last_error',
  'project_id',
  'event_id',
  'unique_key',
  'order_key',
  'recurring',
] as const satisfies readonly (keyof StoredJob)[];
export type ListedJob = Pick<StoredJob, (typeof JOB_COLUMNS)[number]>;

const BATCH = 500;

const matching = (db: Db, { ids, states, lane, kind }: Selection): SelectQueryBuilder<Schema, 'jobs', object> =>
  db
    .selectFrom('jobs')
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids!))
    .$if(states !== undefined, (query) => query.where('state', 'in', states!))
    .$if(lane !== undefined, (query) => query.where('lane', 'in', lane === 'unknown' ? ['unknown', ''] : [lane!]))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind!));

/** Jobs in the order in which they were written. */
export const listJobs = (db: Db, selection: Selection, limit: number): Promise<ListedJob[]> =>
  matching(db, selection).select(JOB_COLUMNS).orderBy('id').limit(limit).execute();

/**
 * Runs dead jobs, or jobs that wait for another attempt, now and with all attempts ahead of them.
 * @returns number of jobs
 */
export async function retryJobs(db: Db, selection: Selection, now: Date): Promise<number> {
  const run_at = now.toISOString();
  return changeInBatches(db, { states: ['dead', 'waiting'], ...selection }, async (db, ids) => {
    const { numUpdatedRows } = await db
      .updateTable('jobs')
      .set((eb) => ({
        state: 'waiting',
        attempts: 0,
        run_at,
        turn_at: run_at,
        // If another job of its key waits by now, both run.
        unique_key: eb.case().when('state', '=', 'waiting').then(eb.ref('unique_key')).end(),
      }))
      .where('id', 'in', ids)
      .where('state', 'in', ['dead', 'waiting'])
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}

/** Lets jobs that wait run later. Those that are due after that time anyway stay. @returns number of jobs */
export async function postponeJobs(db: Db, selection: Selection, until: Date): Promise<number> {
  const run_at = until.toISOString();
  return changeInBatches(db, { ...selection, states: ['waiting'] }, async (db, ids) => {
    const { numUpdatedRows } = await db
      .updateTable('jobs')
      .set({ run_at, turn_at: run_at })
      .where('id', 'in', ids)
      .where('state', '=', 'waiting')
      .where('run_at', '<', run_at)
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}

/** Deletes jobs that are not running. Jobs held behind them are released. @returns number of jobs */
export async function dropJobs(db: Db, selection: Selection): Promise<number> {
  const dropped = await changeInBatches(db, { states: ['dead'], ...selection }, async (db, ids) => {
    const { numDeletedRows } = await db
      .deleteFrom('jobs')
      .where('id', 'in', ids)
      .where('state', '<>', 'running')
      .where('recurring', '=', 0)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
  if (dropped > 0) await db.transaction().execute(releaseUnheld);
  return dropped;
}

async function changeInBatches(
  db: Db,
  selection: Selection,
  change: (db: Db, ids: number[]) => Promise<number>,
): Promise<number> {
  let total = 0;
  for await (const rows of inBatches(matching(db, selection).select('id'), BATCH, 'id')) {
    total += await db.transaction().execute((db) => change(db, pluck(rows, 'id')));
  }
  return total;
}
