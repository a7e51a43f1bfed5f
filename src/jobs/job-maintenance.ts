import type { Db } from '../db/db.schema.ts';
import { keyUnlessTaken, releaseHeld, retryOnKeyConflict } from './job-outcomes.ts';

/** Lane of jobs of unknown kinds. */
export const UNKNOWN_LANE = 'unknown';
/** Time that a due job is left to other processes that may know its kind. */
const UNKNOWN_AFTER_MS = 600_000;

/** Selects running jobs: of a claim, of a dead process, or of unknown processes. */
export type RunningJobFilter = { claim: string | null } | { process: number } | { notOf: readonly number[] };

/** Prefix of the claims of a process. */
const claimsOf = (process: number): string => `${process}:%`;

/**
 * Makes running jobs run again.
 * @param filter selects the jobs; all if absent
 * @returns number of jobs
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

/** Releases held jobs whose predecessor was removed by hand or has lost its key. */
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
 * Moves jobs into the lane of their kind, which may differ from that of an earlier version, and jobs of unknown kinds
 * into the lane for them.
 * @param laneOf the lane of a kind; undefined for unknown kinds
 * @returns unknown kinds with the number of their due jobs
 */
export async function reassignLanes(
  db: Db,
  laneOf: (kind: string) => string | undefined,
  now: Date,
): Promise<{ kind: string; jobs: number }[]> {
  const counts = await db
    .selectFrom('jobs')
    .select(['kind', 'lane'])
    .select(({ fn }) => fn.countAll<number>().as('jobs'))
    .groupBy(['kind', 'lane'])
    .execute();
  const overdue = new Date(now.getTime() - UNKNOWN_AFTER_MS).toISOString();
  const unknown: { kind: string; jobs: number }[] = [];
  for (const { kind, lane, jobs } of counts) {
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
