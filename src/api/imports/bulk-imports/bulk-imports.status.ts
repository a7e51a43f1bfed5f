import { user as onUser, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import { type BulkImport, IMPORT_STATUS, type ImportStatus } from '../../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../../deps.ts';

/** Purpose for sealing tokens of source servers. */
export const TOKEN_PURPOSE = 'bulk_imports.token';

const OPEN: readonly ImportStatus[] = [IMPORT_STATUS.created, IMPORT_STATUS.started];

/**
 * Marks an entity and its import as started.
 * @returns both, with the token unsealed; null if there is nothing left to do
 */
export async function startEntity(
  deps: Deps,
  id: number,
): Promise<{ entity: BulkImportEntity; import: BulkImport } | null> {
  const updated_at = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    const entity = await db
      .updateTable('bulk_import_entities')
      .set((eb) => ({
        status: IMPORT_STATUS.started,
        // On a repeated start, the time of the last progress is kept.
        updated_at: eb
          .case()
          .when('status', '=', IMPORT_STATUS.created)
          .then(updated_at)
          .else(eb.ref('updated_at'))
          .end(),
      }))
      .where('id', '=', id)
      .where('status', 'in', OPEN)
      .returningAll()
      .executeTakeFirst();
    if (entity === undefined) return null;
    const row = await db
      .updateTable('bulk_imports')
      .set({ status: IMPORT_STATUS.started, updated_at })
      .where('id', '=', entity.bulk_import_id)
      .where('status', 'in', OPEN)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    const token = row.token === null ? null : deps.secrets.open(row.token, TOKEN_PURPOSE);
    return { entity, import: { ...row, token } };
  });
}

/** Finishes an entity, and its import with the last one. */
export async function endEntity(deps: Deps, id: number, status: ImportStatus): Promise<void> {
  const updated_at = timestamp(deps.clock);
  await deps.db.transaction().execute(async (db) => {
    const ended = await db
      .updateTable('bulk_import_entities')
      .set({ status, updated_at })
      .where('id', '=', id)
      .where('status', '=', IMPORT_STATUS.started)
      .returning('bulk_import_id')
      .executeTakeFirst();
    if (ended !== undefined) await endImport(deps, db, ended.bulk_import_id);
  });
}

async function endImport(deps: Deps, db: Db, id: number): Promise<void> {
  // Concurrent ends wait here for each other, so that one of them sees that it is the last.
  await db
    .updateTable('bulk_imports')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', id)
    .execute();
  const open = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('bulk_import_id', '=', id)
    .where('status', 'in', OPEN)
    .limit(1)
    .executeTakeFirst();
  if (open !== undefined) return;
  const entities = () => db.selectFrom('bulk_import_entities').select('id').where('bulk_import_id', '=', id).limit(1);
  const brought = await entities().where('status', '=', IMPORT_STATUS.finished).executeTakeFirst();
  const failed = await entities().where('has_failures', '=', 1).executeTakeFirst();
  const late = await entities().where('status', '=', IMPORT_STATUS.timeout).executeTakeFirst();
  const none = late === undefined ? IMPORT_STATUS.failed : IMPORT_STATUS.timeout;
  await db
    .updateTable('bulk_imports')
    .set({
      status: brought === undefined ? none : IMPORT_STATUS.finished,
      has_failures: failed === undefined ? 0 : 1,
      token: null,
    })
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .execute();
}

/** Cancels the unfinished entities of an import. Imported objects are kept. */
export async function cancelImport(deps: Deps, { id, user_id, source_url }: BulkImport): Promise<void> {
  const ended = { status: IMPORT_STATUS.canceled, updated_at: timestamp(deps.clock) };
  await deps.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('bulk_imports')
      .set({ ...ended, token: null })
      .where('id', '=', id)
      .where('status', 'in', OPEN)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await recordAudit(deps, db, {
      name: 'bulk_import_canceled',
      entity: onUser(user_id),
      target: { id, type: 'BulkImport', details: source_url },
      message: `Import from ${source_url} canceled`,
    });
    await db
      .updateTable('bulk_import_entities')
      .set(ended)
      .where('bulk_import_id', '=', id)
      .where('status', 'in', OPEN)
      .execute();
  });
}
