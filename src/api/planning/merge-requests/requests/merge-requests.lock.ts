import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';

/**
 * Takes the row of a merge request for the transaction whose handle is given: whatever decides about one merge request
 * waits for each other. Gives the row as it is now; undefined when it is gone.
 */
export const lockMergeRequest = (db: Db, id: number): Promise<MergeRequest | undefined> =>
  db
    .updateTable('merge_requests')
    .set((eb) => ({ iid: eb.ref('iid') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
