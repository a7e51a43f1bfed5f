import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { targetKey } from './record.audit.ts';

/** Fills in the targets of events of an earlier version; the job is written by a migration. */
const FILL = jobKind<Record<string, never>>('audit-events.fill-targets', { lane: 'slow', timeoutMs: 3_600_000 });
/** Events per transaction: others write meanwhile. */
const BATCH = 200;

/** Ids may be far apart, since old events are removed. */
const eventsAfter = prepared((db, { from }: { from: number }) =>
  db.selectFrom('audit_events').select(['id', 'details', 'target']).where('id', '>', from).orderBy('id').limit(BATCH),
);

const setTarget = prepared((db, { id, target }: { id: number; target: string | null }) =>
  db.updateTable('audit_events').set({ target }).where('id', '=', id).returning('id'),
);

/** Registers the job. */
export function registerTargetFilling({ db, jobs }: Pick<Deps, 'db' | 'jobs'>): void {
  jobs.register(FILL, async (_payload, { signal }) => {
    for (let from: number | null = 0; from !== null; from = await fill(db, from)) signal.throwIfAborted();
  });
}

/** Fills in the targets of some events. @param from id before the first @returns id of the last; null at the end */
async function fill(root: Db, from: number): Promise<number | null> {
  const rows = await eventsAfter(root, { from });
  const missing = rows.filter(({ target }) => target === null);
  if (missing.length > 0) {
    await root.transaction().execute(async (db) => {
      for (const { id, details } of missing) {
        const { target_id, target_type } = parseJson<{ target_id: number | string | null; target_type: string }>(
          details,
        );
        await setTarget(db, { id, target: targetKey({ type: target_type, id: target_id }) });
      }
    });
  }
  return rows.at(-1)?.id ?? null;
}
