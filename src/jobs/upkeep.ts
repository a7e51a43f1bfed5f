import type { Db } from '../db/schema.ts';
import type { StoredJob } from '../db/tables/jobs.ts';
import { releaseHeld } from './settle.ts';

/** The lane of jobs whose kind no server knows. */
export const UNKNOWN_LANE = 'unknown';
/** A process whose jobs have had no beat for so long is dead, in milliseconds. */
const SILENT_MS = 90_000;
/** So long a due job is left to a process that may know its kind. */
const UNKNOWN_AFTER_MS = 600_000;

/** What of a running job was seen when, by the clock that never jumps. */
export type Seen = Map<number, { claim: string | null; beat: number; since: number }>;

/** Says that this process still runs the jobs. */
export async function beat(db: Db, jobs: readonly StoredJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await db
    .updateTable('jobs')
    .set((eb) => ({ beat: eb('beat', '+', 1) }))
    .where(
      'id',
      'in',
      jobs.map(({ id }) => id),
    )
    .where('claim', 'in', [...new Set(jobs.map(({ claim }) => claim))])
    .execute();
}

/**
 * Lets jobs of processes that have died run again: those whose beat has stood still. Clocks of machines are not compared.
 * @param seen what this process saw the last times; changed
 * @param own jobs that this process runs
 * @returns how many there were
 */
export async function takeOver(db: Db, seen: Seen, own: ReadonlySet<number>, now: number): Promise<number> {
  const running = await db.selectFrom('jobs').select(['id', 'claim', 'beat']).where('state', '=', 'running').execute();
  const there = new Set(running.map(({ id }) => id));
  for (const id of seen.keys()) if (!there.has(id)) seen.delete(id);
  let count = 0;
  for (const { id, claim, beat } of running) {
    const last = seen.get(id);
    if (own.has(id)) seen.delete(id);
    else if (last === undefined || last.claim !== claim || last.beat !== beat)
      seen.set(id, { claim, beat, since: now });
    else if (now - last.since >= SILENT_MS) {
      count += await letRunAgain(db, { id, claim, beat });
      seen.delete(id);
    }
  }
  return count;
}

/**
 * Lets running jobs run again.
 * @param only those of a claim, or one of them as it was seen; all where it is left out
 */
export async function letRunAgain(
  db: Db,
  only?: Pick<StoredJob, 'claim'> & Partial<Pick<StoredJob, 'id' | 'beat'>>,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'waiting',
      claim: null,
      // Where another one of its key is there by now, both run.
      unique_key: eb
        .case()
        .when(
          eb.exists(
            eb
              .selectFrom('jobs as twin')
              .select('twin.id')
              .whereRef('twin.unique_key', '=', 'jobs.unique_key')
              .whereRef('twin.id', '<>', 'jobs.id')
              .where('twin.state', '<>', 'dead'),
          ),
        )
        .then(null)
        .else(eb.ref('jobs.unique_key'))
        .end(),
    }))
    .where('state', '=', 'running')
    .$if(only !== undefined, (query) => query.where('claim', 'is not distinct from', only!.claim))
    .$if(only?.id !== undefined, (query) => query.where('id', '=', only!.id!))
    .$if(only?.beat !== undefined, (query) => query.where('beat', '=', only!.beat!))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Lets jobs go that are held for none: the one before them was removed by hand, or its key was taken from it. */
export async function freeHeld(db: Db): Promise<void> {
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
export async function sortLanes(
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
