import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';

/**
 * Locks the row of a merge request for the transaction, which serializes all decisions about it. Returns the current
 * row; undefined if it no longer exists.
 */
export const lockMergeRequest = (db: Db, id: number): Promise<MergeRequest | undefined> =>
  db
    .updateTable('merge_requests')
    .set((eb) => ({ iid: eb.ref('iid') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
