import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TestApp } from './app.ts';

/**
 * Has something happen while the next work waits for its turn in the queue of a repository or merge request: what was
 * checked before it is true no longer.
 */
export function meanwhile(app: TestApp, act: () => Promise<unknown>): void {
  const { writes } = app.deps;
  const { run } = writes;
  writes.run = async (key, work) => {
    writes.run = run;
    await act();
    return run.call(writes, key, work) as ReturnType<typeof work>;
  };
}

/** Has something happen before the next transaction begins: what was checked outside of it is true no longer. */
export function beforeTransaction(app: TestApp, act: () => Promise<unknown>): void {
  const { db } = app.deps;
  const transaction = db.transaction.bind(db);
  db.transaction = () => {
    db.transaction = transaction;
    const builder = transaction();
    return new Proxy(builder, {
      get: (target, name) =>
        name === 'execute'
          ? async (work: Parameters<typeof builder.execute>[0]) => {
              await act();
              return target.execute(work);
            }
          : Reflect.get(target, name),
    });
  };
}

/**
 * Waits until a transaction of another connection waits for a lock that this one's holds. On SQLite there is one writer, and
 * nothing to wait for.
 */
export async function someoneWaits({ deps: { config, db } }: TestApp): Promise<void> {
  if (config.database.kind === 'sqlite') return;
  for (let tries = 0; tries < 3_000; tries += 1) {
    const { rows } = await sql`select 1 as one from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length > 0) return;
    await sleep(10);
  }
  throw new Error('Nobody waits for a lock.');
}
