import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import { LANES } from './jobs.kinds.ts';

/** The jobs of one lane. */
export interface LaneStats {
  lane: string;
  /** Due, and not taken yet. */
  waiting: number;
  /** Not due yet. */
  scheduled: number;
  /** Behind an earlier one of their key. */
  held: number;
  running: number;
  dead: number;
  /** Seconds that the oldest one has been due without being taken. */
  oldest_seconds: number;
}

/** How many jobs each lane has, those that have none too; others where jobs of unknown kinds are. */
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
