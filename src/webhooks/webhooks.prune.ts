import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { DELIVERY_WINDOW_MS } from './deliver.ts';

/** Job kind: deletes expired logs. */
export const PRUNE = jobKind<Record<string, never>>('webhooks.prune', { lane: 'slow' });
export const PRUNE_MS = 3_600_000;

/** Retention of logs, and maximum number per hook. */
const RETENTION_MS = 7 * 86_400_000;
const MAX_OF_HOOK = 5_000;
const BATCH_SIZE = 500;

/** Deletes old and excess logs, and unreferenced payloads, in batches. */
export async function prune({ db, clock }: Pick<Deps, 'db' | 'clock'>, signal: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(clock.now().getTime() - ms).toISOString();
  const old = db
    .selectFrom('web_hook_logs')
    .select(['id', 'payload_id'])
    .where('created_at', '<', before(RETENTION_MS));
  await removeAll(db, () => old.orderBy('created_at').orderBy('id').limit(BATCH_SIZE).execute(), signal);
  const hooks = await db
    .selectFrom('web_hooks as h')
    .select((eb) => [
      'h.id',
      eb
        .selectFrom('web_hook_logs as l')
        .select('l.id')
        .whereRef('l.hook_id', '=', 'h.id')
        .orderBy('l.id', 'desc')
        .offset(MAX_OF_HOOK)
        .limit(1)
        .as('last'),
    ])
    .execute();
  for (const { id, last } of hooks) {
    if (last === null) continue;
    const many = db.selectFrom('web_hook_logs').select(['id', 'payload_id']).where('hook_id', '=', id);
    await removeAll(db, () => many.where('id', '<=', last).orderBy('id').limit(BATCH_SIZE).execute(), signal);
  }
  const unused = db
    .selectFrom('web_hook_payloads')
    .select('id')
    .where('created_at', '<', before(RETENTION_MS + 2 * DELIVERY_WINDOW_MS));
  for (;;) {
    signal.throwIfAborted();
    const ids = (await unused.orderBy('created_at').orderBy('id').limit(BATCH_SIZE).execute()).map(({ id }) => id);
    if (ids.length === 0) return;
    await db.deleteFrom('web_hook_payloads').where('id', 'in', ids).execute();
  }
}

type Some = () => Promise<{ id: number; payload_id: number | null }[]>;

async function removeAll(db: Db, next: Some, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const some = await next();
    if (some.length === 0) return;
    await db.transaction().execute(async (db) => {
      const ids = some.map(({ id }) => id);
      await db.deleteFrom('web_hook_logs').where('id', 'in', ids).execute();
      await removeUnused(db, [...new Set(some.flatMap(({ payload_id }) => payload_id ?? []))]);
    });
  }
}

/** Deletes the unreferenced ones among the payloads. */
const removeUnused = (db: Db, payloads: readonly number[]) =>
  db
    .deleteFrom('web_hook_payloads')
    .where('id', 'in', payloads)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('web_hook_logs')
            .select('web_hook_logs.id')
            .whereRef('web_hook_logs.payload_id', '=', 'web_hook_payloads.id'),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('web_hook_deliveries')
            .select('web_hook_deliveries.id')
            .whereRef('web_hook_deliveries.event_id', '=', 'web_hook_payloads.event_id'),
        ),
      ),
    )
    .execute();
