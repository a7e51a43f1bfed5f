import type { Insertable } from 'kysely';
import { AccessLevel, type Visibility } from '../../core/access-levels.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/schema.ts';
import type { Namespace, NamespacesTable } from '../../db/tables/namespaces.ts';
import type { Deps } from '../../deps.ts';

export interface NewGroup {
  name: string;
  path: string;
  parent: Namespace | null;
  visibility: Visibility;
  /** Becomes owner of a top-level group. */
  creatorId: number;
  columns?: Partial<Insertable<NamespacesTable>>;
  /** Runs in the transaction that writes the rows. */
  within?: (db: Db, group: Namespace) => Promise<void>;
}

/**
 * Creates a group; its creator becomes its owner.
 * @throws a unique violation when the path is taken
 */
export async function createGroup(deps: Deps, given: NewGroup): Promise<Namespace> {
  return deps.db.transaction().execute(async (db) => {
    const now = timestamp(deps.clock);
    const { parent } = given;
    const inserted = await db
      .insertInto('namespaces')
      .values({
        kind: 'group',
        name: given.name,
        path: given.path,
        full_path: parent === null ? given.path : `${parent.full_path}/${given.path}`,
        parent_id: parent?.id ?? null,
        lineage: '',
        visibility: given.visibility,
        created_at: now,
        updated_at: now,
        ...given.columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const group = { ...inserted, lineage: `${parent?.lineage ?? '/'}${inserted.id}/` };
    await db.updateTable('namespaces').set({ lineage: group.lineage }).where('id', '=', group.id).execute();
    await db
      .insertInto('members')
      .values({
        source_type: 'group',
        source_id: group.id,
        user_id: given.creatorId,
        access_level: AccessLevel.owner,
        created_at: now,
      })
      .execute();
    await given.within?.(db, group);
    return group;
  });
}
