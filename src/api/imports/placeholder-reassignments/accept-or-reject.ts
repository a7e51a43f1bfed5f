import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { type ImportSourceUser, SOURCE_USER_STATUS as STATUS } from '../../../db/tables/import-source-users.table.ts';
import type { Deps } from '../../../deps.ts';
import { displayNameOf, notifyReassignment, REASSIGN, recordReassignment } from './placeholder-reassignments.assign.ts';

/** Parameters of the URL in a mail. */
export interface ReassignmentRequest {
  namespace_id: number;
  token: string;
}

/** Returns the source user of a reassignment to the caller; hidden from everyone else. @throws ApiError 404 */
export async function findRequestedReassignment(
  db: Db,
  caller: UserCaller,
  { namespace_id, token }: ReassignmentRequest,
): Promise<ImportSourceUser> {
  return db
    .selectFrom('import_source_users')
    .selectAll()
    .where('reassignment_token', '=', token)
    .where('namespace_id', '=', namespace_id)
    .where('reassign_to_user_id', '=', caller.user.id)
    .where('status', '=', STATUS.awaiting_approval)
    .executeTakeFirstOrThrow(() => notFound());
}

/** Accepts or rejects a reassignment. @throws ApiError 404 */
export async function acceptOrRejectReassignment(
  deps: Deps,
  caller: UserCaller,
  request: ReassignmentRequest,
  accepted: boolean,
): Promise<ImportSourceUser> {
  return deps.db.transaction().execute(async (db) => {
    const row = await findRequestedReassignment(db, caller, request);
    const changed = await db
      .updateTable('import_source_users')
      .set({
        status: accepted ? STATUS.reassignment_in_progress : STATUS.rejected,
        reassignment_token: null,
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', row.id)
      .where('status', '=', STATUS.awaiting_approval)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound());
    await recordReassignment(deps, db, row, accepted ? 'accepted' : 'declined', caller.user.username);
    if (accepted) await deps.jobs.enqueue(db, REASSIGN, { source_user_id: row.id });
    else
      await notifyReassignment(
        deps,
        db,
        row,
        `${caller.user.name} has declined the contributions of ${displayNameOf(row)}.`,
      );
    return changed;
  });
}
