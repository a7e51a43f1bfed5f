import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { targetKey } from './record.audit.ts';

/** Fills in the targets of events of an earlier version; the job is written by a migration. */
const FILL = jobKind<Record<string, never>>('audit-events.fill-targets', { lane: 'slow', timeoutMs: 3_600_000 });
/** Ids per transaction: others write meanwhile. */
const BATCH = 200;

const withoutTarget = prepared((db, { from, to }: { from: number; to: number }) =>
  db
    .selectFrom('audit_events')
    .select(['id', 'details'])
    .where('id', '>', from)
    .where('id', '<=', to)
    .where('target', 'is', null),
);

const setTarget = prepared((db, { id, target }: { id: number; target: string | null }) =>
  db.updateTable('audit_events').set({ target }).where('id', '=', id).returning('id'),
);

/** Registers the job. */
export function registerTargetFilling({ db, jobs }: Pick<Deps, 'db' | 'jobs'>): void {
  jobs.register(FILL, async (_payload, { signal }) => {
    const { last } = await db
      .selectFrom('audit_events')
      .select(({ fn }) => fn.max<number | null>('id').as('last'))
      .executeTakeFirstOrThrow();
    for (let from = 0; from < Number(last ?? 0); from += BATCH) {
      signal.throwIfAborted();
      await fill(db, from);
    }
  });
}

async function fill(root: Db, from: number): Promise<void> {
  const rows = await withoutTarget(root, { from, to: from + BATCH });
  if (rows.length === 0) return;
  await root.transaction().execute(async (db) => {
    for (const { id, details } of rows) {
      const { target_id, target_type } = parseJson<{ target_id: number | string | null; target_type: string }>(details);
      await setTarget(db, { id, target: targetKey({ type: target_type, id: target_id }) });
    }
  });
}
