import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from './jobs.kinds.ts';

const PRUNE = jobKind<Record<string, never>>('jobs.prune', { lane: 'slow' });
const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Rows deleted per transaction. */
const BATCH = 1_000;

/** Deletes events and dead jobs older than the configured retention. */
export function registerPruning(deps: Deps): void {
  deps.jobs.every(PRUNE, { everyMs: EVERY_MS }, async (_payload, { signal }) => {
    const before = (days: number) => new Date(deps.clock.now().getTime() - days * DAY_MS).toISOString();
    const jobs = await pruneDeadJobs(deps.db, before(deps.config.retention.deadJobDays), signal);
    const events = await pruneEvents(deps.db, before(deps.config.retention.eventDays), signal);
    if (jobs > 0) deps.log.log('warn', 'old dead jobs were deleted', { jobs });
    if (events > 0) deps.log.log('info', 'old events were deleted', { events });
  });
}

async function pruneDeadJobs(db: Db, before: string, signal: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    signal.throwIfAborted();
    const old = db
      .selectFrom('jobs')
      .select('id')
      .where('state', '=', 'dead')
      .where('run_at', '<', before)
      .limit(BATCH);
    const { numDeletedRows } = await db.deleteFrom('jobs').where('id', 'in', old).executeTakeFirstOrThrow();
    total += Number(numDeletedRows);
    if (numDeletedRows < BigInt(BATCH)) return total;
  }
}

/** Events are kept while a job, even a dead one, refers to them. */
async function pruneEvents(db: Db, before: string, signal: AbortSignal): Promise<number> {
  for (let [total, after] = [0, 0]; ; ) {
    signal.throwIfAborted();
    const rows = await db
      .selectFrom('domain_events')
      .select(['id', 'created_at'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    const old = rows.flatMap(({ id, created_at }) => (created_at < before ? [id] : []));
    if (old.length === 0) return total;
    const { numDeletedRows } = await db
      .deleteFrom('domain_events')
      .where('id', 'in', old)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('jobs').select('jobs.id').whereRef('jobs.event_id', '=', 'domain_events.id'))),
      )
      .executeTakeFirstOrThrow();
    total += Number(numDeletedRows);
    after = rows.at(-1)!.id;
  }
}
