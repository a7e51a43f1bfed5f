import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { requireStarted } from '../../../import-export/imports/trackers.ts';
import { insertRemoteImport } from './bulk-imports.create.ts';
import type { RelationImport } from './relations.ts';

/** Groups and projects that come with one group, and with one import. */
const MAX_CHILDREN = 10_000;
const MAX_ENTITIES = 50_000;
const SLUG = /^(?=[.-]*\w)[\w.-]+$/;

/** A text that fits; what is longer is no path. */
const short = (value: unknown, maxLength: number): string | null =>
  typeof value === 'string' && value.length <= maxLength && !value.includes('\0') ? value : null;

/** Enters the subgroups and projects of a group, to be brought like itself. */
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
      // What is only shared with the group belongs elsewhere.
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

/** @throws InvalidImportObject where an import has as many groups and projects as one may have */
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
