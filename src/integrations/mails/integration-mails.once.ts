import { timestamp } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import type { Mail } from '../../mail/mail.ts';
import { enqueueMails } from '../../mail/send-mail.ts';
import type { DispatchContext } from '../dispatch/dispatch-context.ts';

const PRUNE = jobKind<Record<string, never>>('integrations.prune-mails', { lane: 'slow' });
/** Longer than the retries of an event. */
const RETENTION_MS = 7 * 86_400_000;
const BATCH = 1_000;

/** Sends the mails of an event once, also if its handler is retried after an interruption. */
export async function mailOnce({ deps, idempotencyKey }: DispatchContext, mails: readonly Mail[]): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const entered = await db
      .insertInto('integration_mails')
      .values({ key: idempotencyKey, created_at: timestamp(deps.clock) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst();
    if (entered !== undefined) await enqueueMails(db, deps, mails);
  });
}

/** Registers the pruning of the record of sent mails. */
export function registerMailPruning(deps: Deps): void {
  deps.jobs.every(PRUNE, { dailyAt: '02:50' }, async (_payload, { signal }) => {
    const before = new Date(deps.clock.now().getTime() - RETENTION_MS).toISOString();
    for (;;) {
      const old = deps.db.selectFrom('integration_mails').select('key').where('created_at', '<', before);
      const { numDeletedRows } = await deps.db
        .deleteFrom('integration_mails')
        .where('key', 'in', old.orderBy('created_at').limit(BATCH))
        .executeTakeFirstOrThrow();
      if (numDeletedRows < BATCH) return;
      signal.throwIfAborted();
    }
  });
}
