import { timestamp } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import { inBatches } from '../../db/in-batches.ts';
import type { GroupIds } from '../../db/lifecycle.ts';
import { EXPORT_STATUS, WHOLE_PROJECT } from '../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';

const SWEEP = jobKind<Record<string, never>>('relation_exports.sweep', { lane: 'slow' });
const SWEEP_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How long files of an export are kept: a large import takes days. */
const RETENTION_MS = 7 * DAY_MS;
/** An export without progress for this time has failed. */
const STUCK_MS = DAY_MS;
/** How long archives are kept. */
const ARCHIVE_RETENTION_MS = DAY_MS;
const BATCH_SIZE = 100;
const BLOBS = 1_000;

/** Deletes exports with their files. @param db handle of the transaction that makes them obsolete */
export async function removeExports(deps: Deps, db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const whole = await db
    .selectFrom('relation_exports')
    .select('sha256')
    .where('id', 'in', ids)
    .where('sha256', 'is not', null)
    .execute();
  await enqueueBlobRemoval(deps, db, [...new Set(whole.map(({ sha256 }) => sha256!))]);
  const parts = db.selectFrom('relation_export_batches').select(['id', 'sha256']).where('export_id', 'in', ids);
  for await (const batches of inBatches(parts, BLOBS, 'id')) {
    await enqueueBlobRemoval(deps, db, [...new Set(batches.map(({ sha256 }) => sha256))]);
  }
  await db.deleteFrom('relation_exports').where('id', 'in', ids).execute();
}

async function removeOld(deps: Deps, archives: boolean): Promise<boolean> {
  const retentionMs = archives ? ARCHIVE_RETENTION_MS : RETENTION_MS;
  const before = new Date(deps.clock.now().getTime() - retentionMs).toISOString();
  return deps.db.transaction().execute(async (db) => {
    const old = await db
      .selectFrom('relation_exports')
      .select('id')
      .where('updated_at', '<', before)
      .where('relation', archives ? '=' : '!=', WHOLE_PROJECT)
      .orderBy('updated_at')
      .limit(BATCH_SIZE)
      .execute();
    await removeExports(deps, db, pluck(old, 'id'));
    return old.length === BATCH_SIZE;
  });
}

/** Registers the expiry of exports, and their deletion with their group or project. */
export function registerExportRemoval(deps: Deps): void {
  deps.jobs.every(SWEEP, { everyMs: SWEEP_MS }, async (_payload, { signal }) => {
    const now = deps.clock.now().getTime();
    await deps.db
      .updateTable('relation_exports')
      .set({ status: EXPORT_STATUS.failed, error: 'The export timed out.', updated_at: timestamp(deps.clock) })
      .where('status', '=', EXPORT_STATUS.started)
      .where('updated_at', '<', new Date(now - STUCK_MS).toISOString())
      .execute();
    for (const archives of [false, true]) while (!signal.aborted && (await removeOld(deps, archives)));
  });
  const removeOf = (kind: 'project' | 'group') => async (db: Db, owners: GroupIds) =>
    removeExports(deps, db, await exportIds(db, kind, owners));
  deps.lifecycle.projectsRemoved.add(removeOf('project'));
  deps.lifecycle.groupsRemoved.add(removeOf('group'));
}

/** Ids of the exports of groups or projects. @param owners their ids, or a query for them */
export async function exportIds(db: Db, kind: 'project' | 'group', owners: GroupIds): Promise<number[]> {
  const rows = await db.selectFrom('relation_exports').select('id').where(`${kind}_id`, 'in', owners).execute();
  return rows.map(({ id }) => id);
}
