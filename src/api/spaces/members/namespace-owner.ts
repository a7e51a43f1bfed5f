import { AccessLevel } from '../../../core/access-levels.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

/**
 * Makes the owner of a personal namespace a member of a project that is created in it or transferred to it, so that
 * member lists contain them. Does nothing in a group.
 * @param now ISO 8601
 */
export async function addNamespaceOwner(
  db: Db,
  namespace: Pick<Namespace, 'owner_id'>,
  projectId: number,
  now: string,
): Promise<void> {
  if (namespace.owner_id === null) return;
  const owns = { access_level: AccessLevel.owner, member_role_id: null, expires_at: null };
  await db
    .insertInto('members')
    .values({ source_type: 'project', source_id: projectId, user_id: namespace.owner_id, created_at: now, ...owns })
    .onConflict((conflict) => conflict.columns(['source_type', 'source_id', 'user_id']).doUpdateSet(owns))
    .execute();
}
