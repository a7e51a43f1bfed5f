import type { Db } from '../../../db/db.schema.ts';
import type { GroupIds } from '../../../db/lifecycle.ts';

/**
 * Deactivates the service accounts of deleted projects or groups. They are kept, so that their contributions keep their
 * author.
 */
export async function endAccountsOf(db: Db, type: 'project' | 'group', ids: GroupIds): Promise<void> {
  const accounts = db.selectFrom('users').select('id').where(`provisioned_by_${type}_id`, 'in', ids);
  await db.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', 'in', accounts).execute();
  await db.updateTable('users').set({ state: 'blocked' }).where(`provisioned_by_${type}_id`, 'in', ids).execute();
}
