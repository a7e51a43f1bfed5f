import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { requireStarted } from '../../../import-export/imports/trackers.ts';
import { insertRemoteImport } from './bulk-imports.create.ts';
import type { RelationImport } from './relations.ts';

/** Maximum number of children of a group, and of entities of an import. */
const MAX_CHILDREN = 10_000;
const MAX_ENTITIES = 50_000;
const SLUG = /^(?=[.-]*\w)[\w.-]+$/;

/** Returns a string that is not too long to be a path; null otherwise. */
const short = (value: unknown, maxLength: number): string | null =>
  typeof value === 'string' && value.length <= maxLength && !value.includes('\0') ? value : null;

/** Inserts entities for the subgroups and projects of a group. */
export async function insertChildEntities({ deps, entity, server }: RelationImport, group: Namespace): Promise<void> {
  const path = `/groups/${encodeURIComponent(entity.source_full_path)}`;
  const lists = [
    { kind: 'group', list: `${path}/subgroups`, key: 'full_path' },
    ...(entity.migrate_projects === 1
      ? [{ kind: 'project', list: `${path}/projects?with_shared=false`, key: 'path_with_namespace' } as const]
      : []),
  ] as const;
  for (const { kind, list, key } of lists) {
    for await (const child of server.list(list, MAX_CHILDREN)) {
      const source_full_path = short(child[key], 2_048);
      const slug = short(child.path, 255);
      // Projects only shared with the group belong to another namespace.
      if (slug === null || !SLUG.test(slug) || source_full_path !== `${entity.source_full_path}/${slug}`) continue;
      await deps.db.transaction().execute(async (db) => {
        await requireStarted(deps, db, entity);
        await refuseMore(db, entity.bulk_import_id);
        await insertRemoteImport(deps, db, {
          bulk_import_id: entity.bulk_import_id,
          parent_id: entity.id,
          entity_type: kind,
          source_full_path,
          destination_slug: slug,
          destination_namespace: group.full_path,
          migrate_projects: entity.migrate_projects,
          migrate_memberships: entity.migrate_memberships,
        });
      });
    }
  }
}

/** @throws InvalidImportObject if the import has reached the maximum number of entities */
async function refuseMore(db: Db, importId: number): Promise<void> {
  const last = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('bulk_import_id', '=', importId)
    .orderBy('id')
    .offset(MAX_ENTITIES - 1)
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) throw new InvalidImportObject(`the import has more than ${MAX_ENTITIES} groups and projects`);
}
