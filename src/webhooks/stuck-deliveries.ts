import { sql } from 'kysely';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { deliverJob } from './deliver.ts';

/** Job kind: repairs deliveries without a job, after dead jobs and long failures of hooks. */
export const SWEEP = jobKind<Record<string, never>>('webhooks.sweep', { lane: 'events' });
export const SWEEP_MS = 60_000;

/** Maximum number of deliveries that wait for a failing hook; older ones are dropped. */
const MAX_WAITING = 10_000;
const BATCH_SIZE = 1_000;
/** Time after which payloads of an event are no longer expected, in milliseconds. */
const BUILT_MS = 3_600_000;

/** Enqueues jobs for hooks with waiting deliveries and no job, and drops deliveries that can never be made. */
export async function rescheduleStuckDeliveries(deps: Deps, signal: AbortSignal): Promise<void> {
  await dropUnbuilt(deps);
  const { db, jobs } = deps;
  const forgotten = await db
    .selectFrom('web_hooks as h')
    .select(['h.id', 'h.project_id'])
    .where((eb) =>
      eb.exists(eb.selectFrom('web_hook_deliveries as d').select('d.id').whereRef('d.hook_id', '=', 'h.id')),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('jobs as j')
            .select('j.id')
            .where('j.order_key', '=', sql<string>`'webhook:' || h.id`)
            .where(sql<boolean>`j.state <> 'dead'`),
        ),
      ),
    )
    .limit(BATCH_SIZE)
    .execute();
  await jobs.enqueueAll(
    db,
    forgotten.map(({ id, project_id }) => deliverJob(id, project_id)),
  );
  const failing = await db.selectFrom('web_hooks').select('id').where('failures', '>', 0).execute();
  for (const { id } of failing) await dropOldest(deps, id, signal);
}

/** Drops deliveries of events whose payloads could not be built. */
async function dropUnbuilt({ db, clock, log }: Deps): Promise<void> {
  const before = new Date(clock.now().getTime() - BUILT_MS).toISOString();
  const gone = await db
    .deleteFrom('web_hook_deliveries')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('web_hook_deliveries as d')
        .select('d.id')
        .where('d.built', '=', 0)
        .where('d.created_at', '<', before)
        .where((inner) =>
          inner.not(
            inner.exists(
              inner
                .selectFrom('jobs as j')
                .select('j.id')
                .whereRef('j.event_id', '=', 'd.event_id')
                .where('j.kind', '=', 'event:webhooks')
                .where('j.state', '<>', 'dead'),
            ),
          ),
        )
        .limit(BATCH_SIZE),
    )
    .executeTakeFirst();
  if (gone.numDeletedRows > 0n) {
    log.log('error', 'webhook deliveries dropped: their events failed', { deliveries: Number(gone.numDeletedRows) });
  }
}

async function dropOldest({ db, log }: Deps, hookId: number, signal: AbortSignal): Promise<void> {
  const last = await waitingOf(db, hookId).orderBy('id', 'desc').offset(MAX_WAITING).limit(1).executeTakeFirst();
  if (last === undefined) return;
  for (;;) {
    signal.throwIfAborted();
    const some = await waitingOf(db, hookId).where('id', '<=', last.id).orderBy('id').limit(BATCH_SIZE).execute();
    if (some.length === 0) break;
    await db.deleteFrom('web_hook_deliveries').where('id', 'in', pluck(some, 'id')).execute();
  }
  log.log('warn', 'too many deliveries wait for a failing webhook; the oldest are dropped', { hook: hookId });
}

const waitingOf = (db: Db, hookId: number) =>
  db.selectFrom('web_hook_deliveries').select('id').where('hook_id', '=', hookId);
