import type { Db } from '../db/db.schema.ts';
import { keyUnlessTaken, releaseHeld, retryOnKeyConflict } from './job-outcomes.ts';

/** The lane of jobs whose kind no server knows. */
export const UNKNOWN_LANE = 'unknown';
/** So long a due job is left to a process that may know its kind. */
const UNKNOWN_AFTER_MS = 600_000;

/** Of which running jobs: those of a claim, of a process that has died, or of processes that nobody knows. */
export type RunningJobFilter = { claim: string | null } | { process: number } | { notOf: readonly number[] };

/** The claims of a process begin with it. */
const claimsOf = (process: number): string => `${process}:%`;

/**
 * Lets running jobs run again.
 * @param filter which of them; all where it is left out
 * @returns how many there were
 */
export async function requeueRunning(db: Db, filter?: RunningJobFilter): Promise<number> {
  return db.transaction().execute((db) => retryOnKeyConflict(() => requeue(db, filter)));
}

async function requeue(db: Db, filter: RunningJobFilter | undefined): Promise<number> {
  let query = db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'waiting',
      claim: null,
      unique_key: keyUnlessTaken(eb, ['waiting', 'held', 'running']),
    }))
    .where('state', '=', 'running');
  if (filter !== undefined && 'claim' in filter) query = query.where('claim', 'is not distinct from', filter.claim);
  if (filter !== undefined && 'process' in filter) query = query.where('claim', 'like', claimsOf(filter.process));
  if (filter !== undefined && 'notOf' in filter) {
    for (const id of filter.notOf) query = query.where('claim', 'not like', claimsOf(id));
  }
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Lets jobs go that are held for none: the one before them was removed by hand, or its key was taken from it. */
export async function releaseUnheld(db: Db): Promise<void> {
  const keys = await db
    .selectFrom('jobs')
    .select('order_key')
    .distinct()
    .where('state', '=', 'held')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as first')
            .select('first.id')
            .whereRef('first.order_key', '=', 'jobs.order_key')
            .where('first.state', 'in', ['waiting', 'running']),
        ),
      ),
    )
    .execute();
  await releaseHeld(
    db,
    keys.flatMap(({ order_key }) => order_key ?? []),
  );
}

/**
 * Puts each job into the lane of its kind, for earlier versions knew none or another one, and what nobody knows out of
 * the way.
 * @param laneOf the lane of a kind; undefined for one that this version does not know
 * @returns the kinds that are not known, with the number of their jobs that are due
 */
export async function reassignLanes(
  db: Db,
  laneOf: (kind: string) => string | undefined,
  now: Date,
): Promise<{ kind: string; jobs: number }[]> {
  const found = await db
    .selectFrom('jobs')
    .select(['kind', 'lane'])
    .select(({ fn }) => fn.countAll<number>().as('jobs'))
    .groupBy(['kind', 'lane'])
    .execute();
  const overdue = new Date(now.getTime() - UNKNOWN_AFTER_MS).toISOString();
  const unknown: { kind: string; jobs: number }[] = [];
  for (const { kind, lane, jobs } of found) {
    const right = laneOf(kind);
    if (right === undefined) unknown.push({ kind, jobs });
    if (lane === (right ?? UNKNOWN_LANE)) continue;
    await db
      .updateTable('jobs')
      .set({ lane: right ?? UNKNOWN_LANE })
      .where('kind', '=', kind)
      .where('lane', '=', lane)
      .$if(right === undefined, (query) => query.where('state', '=', 'waiting').where('run_at', '<', overdue))
      .execute();
  }
  return unknown;
}
