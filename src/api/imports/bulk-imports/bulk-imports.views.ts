import type { Static } from 'typebox';
import type { Db } from '../../../db/db.schema.ts';
import type { BulkImportEntity as EntityRow } from '../../../db/tables/bulk-import-entities.table.ts';
import type { BulkImportFailure as FailureRow } from '../../../db/tables/bulk-import-failures.table.ts';
import {
  IMPORT_STATUS,
  type BulkImport as ImportRow,
  type ImportStatus,
} from '../../../db/tables/bulk-imports.table.ts';
import type { BulkImport, BulkImportEntity, BulkImportFailure } from './bulk-imports.responses.ts';

type StatusName = keyof typeof IMPORT_STATUS;

const NAMES = new Map(Object.entries(IMPORT_STATUS).map(([name, number]) => [number, name as StatusName]));
const nameOf = (status: ImportStatus): StatusName => NAMES.get(status)!;
/** Maximum number of failures shown with an entity; further ones have their own endpoint. */
const SHOWN = 100;

export const presentImport = (row: ImportRow): Static<typeof BulkImport> => ({
  id: row.id,
  status: nameOf(row.status),
  source_type: 'gitlab',
  source_url: row.source_url,
  created_at: row.created_at,
  updated_at: row.updated_at,
  has_failures: row.has_failures === 1,
});

export const presentFailure = (row: FailureRow, sourceUrl: string | null): Static<typeof BulkImportFailure> => ({
  relation: row.relation,
  exception_message: row.exception_message,
  exception_class: row.exception_class,
  correlation_id_value: null,
  source_url: sourceUrl,
  source_title: row.source_title,
});

/** Loads the first failures of entities. */
export async function failuresOf(db: Db, ids: readonly number[], each = SHOWN): Promise<FailureRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('bulk_import_failures as failure')
    .selectAll()
    .where('entity_id', 'in', ids)
    .where((eb) =>
      eb(
        'failure.id',
        '<=',
        eb.fn.coalesce(
          eb
            .selectFrom('bulk_import_failures as of')
            .select('of.id')
            .whereRef('of.entity_id', '=', 'failure.entity_id')
            .orderBy('of.id')
            .offset(each - 1)
            .limit(1),
          eb.ref('failure.id'),
        ),
      ),
    )
    .orderBy('failure.id')
    .execute();
}

/** Renders entities with their failures. */
export async function presentEntities(db: Db, rows: readonly EntityRow[]): Promise<Static<typeof BulkImportEntity>[]> {
  const ids = rows.map(({ id }) => id);
  const failures = Map.groupBy(await failuresOf(db, ids), ({ entity_id }) => entity_id);
  const all = await db.selectFrom('bulk_import_trackers').selectAll().where('entity_id', 'in', ids).execute();
  const trackers = Map.groupBy(all, ({ entity_id }) => entity_id);
  return rows.map((row) => ({
    id: row.id,
    bulk_import_id: row.bulk_import_id,
    status: nameOf(row.status),
    entity_type: row.entity_type,
    source_full_path: row.source_full_path,
    destination_full_path: [row.destination_namespace, row.destination_slug].filter((part) => part !== '').join('/'),
    destination_name: row.destination_name,
    destination_slug: row.destination_slug,
    destination_namespace: row.destination_namespace,
    parent_id: row.parent_id,
    namespace_id: row.namespace_id,
    project_id: row.project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    failures: (failures.get(row.id) ?? []).map((failure) => presentFailure(failure, null)),
    migrate_projects: row.migrate_projects === 1,
    migrate_memberships: row.migrate_memberships === 1,
    has_failures: row.has_failures === 1,
    stats: Object.fromEntries(
      (trackers.get(row.id) ?? [])
        .filter(({ source, fetched }) => source > 0 || fetched > 0)
        .map(({ relation, source, fetched, imported }) => [relation, { source, fetched, imported }]),
    ),
  }));
}

/** Returns the number of a status. */
export const statusNumber = (name: StatusName): ImportStatus => IMPORT_STATUS[name];
