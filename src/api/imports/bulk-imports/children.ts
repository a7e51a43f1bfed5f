import type { Namespace } from '../../../db/tables/namespaces.ts';
import { text } from '../../../import-export/imports/take.ts';
import { requireStarted } from '../../../import-export/imports/trackers.ts';
import { enterEntity } from './create.ts';
import type { Reading } from './relations.ts';

/** Groups and projects that come with one group. */
const MAX_CHILDREN = 10_000;

/** Enters the subgroups and projects of a group, to be brought like itself. */
export async function enterChildren({ deps, entity, server }: Reading, group: Namespace): Promise<void> {
  const path = `/groups/${encodeURIComponent(entity.source_full_path)}`;
  const lists = [
    { kind: 'group', list: `${path}/subgroups`, key: 'full_path' },
    ...(entity.migrate_projects === 1
      ? [{ kind: 'project', list: `${path}/projects?with_shared=false`, key: 'path_with_namespace' } as const]
      : []),
  ] as const;
  for (const { kind, list, key } of lists) {
    for await (const child of server.list(list, MAX_CHILDREN)) {
      const source_full_path = text(child[key], 2_048);
      const slug = text(child.path, 255);
      // What is only shared with the group belongs elsewhere.
      if (slug === null || source_full_path !== `${entity.source_full_path}/${slug}`) continue;
      await deps.db.transaction().execute(async (db) => {
        await requireStarted(deps, db, entity);
        await enterEntity(deps, db, {
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
