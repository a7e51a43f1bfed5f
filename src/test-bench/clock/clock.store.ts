import type { Db } from '../../db/db.schema.ts';
import type { BenchClock, ClockState } from './bench-clock.ts';

const KEY = 'test_bench_clock';

/** Stores the state of the clock in the database: it survives restarts, and snapshots hold it. */
export async function storeClock(db: Db, clock: BenchClock): Promise<void> {
  const value = JSON.stringify(clock.state);
  await db
    .insertInto('instance_values')
    .values({ key: KEY, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Makes the clock what the database says; that of the system if it says nothing. */
export async function loadClock(db: Db, clock: BenchClock): Promise<void> {
  const row = await db.selectFrom('instance_values').select('value').where('key', '=', KEY).executeTakeFirst();
  clock.restore(row === undefined ? { offset: 0, frozenAt: null } : (JSON.parse(row.value) as ClockState));
}
