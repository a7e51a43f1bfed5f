import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import { LANES } from './jobs.kinds.ts';

/** Numbers of jobs in a lane. */
export interface LaneStats {
  lane: string;
  /** Due, but not claimed yet. */
  waiting: number;
  /** Not due yet. */
  scheduled: number;
  /** Behind an earlier job of their key. */
  held: number;
  running: number;
  dead: number;
  /** Seconds that the oldest unclaimed job has been due. */
  oldest_seconds: number;
}

/** Numbers of jobs of all lanes, including empty ones and the lane of unknown kinds. */
export async function laneStats(db: Db, now: Date): Promise<LaneStats[]> {
  const at = now.toISOString();
  const rows = await db
    .selectFrom('jobs')
    .select(['lane', 'state'])
    .select(({ fn }) => [
      fn.countAll<number>().as('jobs'),
      sql<number>`sum(case when run_at <= ${at} then 1 else 0 end)`.as('due'),
      fn.min('run_at').as('first'),
    ])
    .groupBy(['lane', 'state'])
    .execute();
  const names = [...new Set([...Object.keys(LANES), ...rows.map(({ lane }) => lane)])];
  return names.map((lane) => {
    const of = (state: string) => rows.find((row) => row.lane === lane && row.state === state);
    const waiting = of('waiting');
    const due = Number(waiting?.due ?? 0);
    return {
      lane: lane === '' ? 'unknown' : lane,
      waiting: due,
      scheduled: Number(waiting?.jobs ?? 0) - due,
      held: Number(of('held')?.jobs ?? 0),
      running: Number(of('running')?.jobs ?? 0),
      dead: Number(of('dead')?.jobs ?? 0),
      oldest_seconds: due === 0 ? 0 : Math.max(0, (now.getTime() - Date.parse(waiting!.first)) / 1_000),
    };
  });
}
