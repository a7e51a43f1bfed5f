import type { GroupIds } from './lifecycle.ts';
import type { Db } from './schema.ts';

/** Tables whose rows belong to a project or a group by `source_type` and `source_id`, without a foreign key. */
const TABLES = [
  'members',
  'group_links',
  'access_requests',
  'invitations',
  'redirect_routes',
  'custom_attributes',
  'deploy_tokens',
  'internal_ids',
] as const;

/**
 * Removes what belongs to projects or groups that are going away and has no foreign key, and revokes their access tokens.
 * @param ids a list, or a query for them
 */
export async function removeBelongings(db: Db, type: 'project' | 'group', ids: GroupIds): Promise<void> {
  for (const table of TABLES) {
    await db.deleteFrom(table).where('source_type', '=', type).where('source_id', 'in', ids).execute();
  }
  // The accounts of their programs stay, so that what these did keeps its author, but act no more.
  const accounts = db.selectFrom('users').select('id').where(`provisioned_by_${type}_id`, 'in', ids);
  await db.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', 'in', accounts).execute();
  await db.updateTable('users').set({ state: 'blocked' }).where(`provisioned_by_${type}_id`, 'in', ids).execute();
  await db
    .updateTable('access_tokens')
    .set({ revoked: 1 })
    .where('resource_type', '=', type)
    .where('resource_id', 'in', ids)
    .execute();
}
