import type { Insertable } from 'kysely';
import { group as onGroup, recordAudit } from '../../../audit/record.audit.ts';
import { AccessLevel, type Visibility } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden } from '../../../core/core.errors.ts';
import { groupFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { isPathTaken, lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace, NamespacesTable } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { notSaved } from './groups.rules.ts';
import { deleteRedirects } from './groups.tree.ts';

export interface NewGroup {
  name: string;
  path: string;
  parent: Namespace | null;
  visibility: Visibility;
  /** User who becomes its owner. */
  creatorId: number;
  columns?: Partial<Insertable<NamespacesTable>>;
  /** Runs in the transaction that inserts the rows. */
  transactionHook?: (db: Db, group: Namespace) => Promise<void>;
}

/**
 * Creates a group; its creator becomes its owner. The caller must have validated name and visibility.
 * @throws ApiError 400 if a user, group or project has the path; 409 if the parent is deleted meanwhile
 */
export async function createGroup(deps: Deps, input: NewGroup): Promise<Namespace> {
  try {
    return await deps.db.transaction().execute((db) => insertGroup(deps, db, input));
  } catch (error) {
    throw isUniqueViolation(error) ? notSaved({ path: ['has already been taken'] }) : error;
  }
}

async function insertGroup(deps: Deps, db: Db, input: NewGroup): Promise<Namespace> {
  const now = timestamp(deps.clock);
  const parent = input.parent === null ? null : (await lockTrees(db, [input.parent]))[0]!;
  if (parent?.in_deletion === 1) throw forbidden('The parent group is marked for deletion');
  const fullPath = parent === null ? input.path : `${parent.full_path}/${input.path}`;
  if (await isPathTaken(db, fullPath)) throw notSaved({ path: ['has already been taken'] });
  const inserted = await db
    .insertInto('namespaces')
    .values({
      kind: 'group',
      name: input.name,
      path: input.path,
      full_path: fullPath,
      parent_id: parent?.id ?? null,
      lineage: '',
      visibility: input.visibility,
      created_at: now,
      updated_at: now,
      ...input.columns,
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
      user_id: input.creatorId,
      access_level: AccessLevel.owner,
      created_at: now,
    })
    .execute();
  await deleteRedirects(db, group.lineage);
  await deps.events.record(
    db,
    'group.created',
    { group_id: group.id, group: groupFacts(group) },
    { groupId: group.id, actorId: input.creatorId },
  );
  await recordAudit(deps, db, {
    name: 'group_created',
    entity: onGroup(group.id),
    message: 'Added group',
    more: { add: 'group' },
    actorId: input.creatorId,
  });
  await input.transactionHook?.(db, group);
  return group;
}
