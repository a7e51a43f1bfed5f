import { timestamp } from '../../core/clock.ts';
import { bit } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import { lockRow } from '../../db/lock-row.ts';
import { EXPORT_STATUS } from '../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { relationsOf } from '../relations/index.ts';
import type { Portable } from '../relations/relation.ts';
import { exportsOf } from './export.find.ts';
import { removeExports } from './export.removal.ts';

const HOUR_MS = 3_600_000;

/** Job kind: exports one relation, as one file or batch after batch. */
export const EXPORT = jobKind<{ export_id: number }>('relation_exports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * HOUR_MS,
});

export interface ExportRequest {
  portable: Pick<Portable, 'kind' | 'id'>;
  batched: boolean;
  /** The user who requests it. */
  userId: number | null;
}

/**
 * Enqueues the export of all relations of a group or project. Deletes an earlier export and ends its running jobs.
 * @param db handle of the transaction that checked the rights
 */
export async function startExport(deps: Deps, db: Db, { portable, batched, userId }: ExportRequest): Promise<void> {
  const { kind, id } = portable;
  await lockRow(db, kind === 'group' ? 'namespaces' : 'projects', id);
  const before = await exportsOf(db, portable);
  await removeExports(
    deps,
    db,
    before.map((each) => each.id),
  );
  const now = timestamp(deps.clock);
  const rows = await db
    .insertInto('relation_exports')
    .values(
      relationsOf(kind).map((relation) => ({
        project_id: kind === 'project' ? id : null,
        group_id: kind === 'group' ? id : null,
        relation: relation.name,
        status: EXPORT_STATUS.started,
        batched: bit(batched && relation.form === 'objects' && !relation.single),
        user_id: userId,
        error: null,
        sha256: null,
        size: null,
        created_at: now,
        updated_at: now,
      })),
    )
    .returning('id')
    .execute();
  const projectId = kind === 'project' ? id : null;
  const ids = rows.map((row) => row.id).sort((a, b) => a - b);
  await deps.jobs.enqueueAll(
    db,
    ids.map((export_id) => ({ kind: EXPORT, payload: { export_id }, projectId })),
  );
}
