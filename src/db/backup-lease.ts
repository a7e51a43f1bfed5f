import { randomUUID } from 'node:crypto';
import { type Clock, timestamp } from '../core/clock.ts';
import type { Db } from './db.schema.ts';

const PREFIX = 'backup:';
const LEASE_MS = 120_000;
const RENEW_MS = 20_000;

/** Clocks of several machines differ by less. */
const SLACK_MS = 10 * 60_000;

/** Whether a lease is valid. A lease that ends later than any new one would was made by a clock that ran ahead. */
function holds(value: string, clock: Clock): boolean {
  const left = Date.parse((JSON.parse(value) as { until: string }).until) - clock.now().getTime();
  return left > 0 && left <= LEASE_MS + SLACK_MS;
}

/** Whether a backup is in progress, during which no repository file and no blob may be removed. */
export async function backupRuns(db: Db, clock: Clock): Promise<boolean> {
  const rows = await db
    .selectFrom('instance_values')
    .select('value')
    .where('key', '>=', PREFIX)
    .where('key', '<', `${PREFIX}~`)
    .execute();
  return rows.some(({ value }) => holds(value, clock));
}

/** Drops all leases: those in a restored database have no backup behind them. */
export async function dropBackupLeases(db: Db): Promise<void> {
  await db.deleteFrom('instance_values').where('key', '>=', PREFIX).where('key', '<', `${PREFIX}~`).execute();
}

/**
 * Prevents the removal of files while `work` runs, and for some time longer if this process dies meanwhile.
 * @param work receives a signal that is aborted when the lease can no longer be renewed
 */
export async function withoutFileRemoval<T>(
  db: Db,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const key = `${PREFIX}${randomUUID()}`;
  const row = () => {
    const until = new Date(clock.now().getTime() + LEASE_MS).toISOString();
    return { key, value: JSON.stringify({ until }), updated_at: timestamp(clock) };
  };
  await dropExpired(db, clock);
  await db.insertInto('instance_values').values(row()).execute();
  const lost = new AbortController();
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    const { value, updated_at } = row();
    renewing = db
      .updateTable('instance_values')
      .set({ value, updated_at })
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
      .then(
        ({ numUpdatedRows }) => {
          if (numUpdatedRows === 0n) lost.abort(new Error('the lease of the backup has expired'));
        },
        (error: unknown) => lost.abort(error),
      );
  }, RENEW_MS);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
    await renewing;
    await db.deleteFrom('instance_values').where('key', '=', key).execute();
  }
}

async function dropExpired(db: Db, clock: Clock): Promise<void> {
  const rows = await db
    .selectFrom('instance_values')
    .select(['key', 'value'])
    .where('key', '>=', PREFIX)
    .where('key', '<', `${PREFIX}~`)
    .execute();
  for (const { key, value } of rows) {
    if (holds(value, clock)) continue;
    await db.deleteFrom('instance_values').where('key', '=', key).execute();
  }
}
