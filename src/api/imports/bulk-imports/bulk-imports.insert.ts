import type { Insertable } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { BulkImportEntitiesTable } from '../../../db/tables/bulk-import-entities.table.ts';
import type { BulkImport } from '../../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../../deps.ts';

const created = ({ clock }: Deps) => {
  const now = timestamp(clock);
  return { created_at: now, updated_at: now };
};

/** Inserts an import. @param object `source_url` is empty for an archive, `token` is sealed */
export const insertImport = (
  deps: Deps,
  db: Db,
  object: Pick<BulkImport, 'user_id' | 'source_url' | 'token'>,
): Promise<BulkImport> =>
  db
    .insertInto('bulk_imports')
    .values({ ...object, ...created(deps) })
    .returningAll()
    .executeTakeFirstOrThrow();

type Row = Insertable<BulkImportEntitiesTable>;
type Named =
  | 'bulk_import_id'
  | 'parent_id'
  | 'entity_type'
  | 'source_full_path'
  | 'destination_slug'
  | 'destination_namespace'
  | 'migrate_projects'
  | 'migrate_memberships';
/** A new entity; its slug defaults to that of the source. */
export type NewImportEntity = Pick<Row, Named> &
  Partial<Pick<Row, 'destination_name' | 'namespace_id' | 'project_id' | 'status'>>;

/** Inserts an entity of an import. @returns its id; undefined if it already exists, which leaves it unchanged */
export async function insertImportEntity(deps: Deps, db: Db, entity: NewImportEntity): Promise<number | undefined> {
  const row = await db
    .insertInto('bulk_import_entities')
    .values({
      destination_name: entity.destination_slug,
      namespace_id: null,
      project_id: null,
      ...entity,
      disk_path: deps.storages.newDiskPath(),
      ...created(deps),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}
