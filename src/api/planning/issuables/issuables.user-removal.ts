import { removeBelongings } from '../../../db/db.removal.ts';
import { withdrawVotes } from '../../../db/votes.ts';
import type { Deps } from '../../../deps.ts';
import { destroyIssuesOf } from '../issues/issues.destroy.ts';
import { destroyMergeRequestsOf } from '../merge-requests/lifecycle/merge-requests.destroy.ts';

/**
 * Registers the deletion of issues, merge requests, comments, reactions and time logs with a user whose contributions
 * are deleted.
 */
export function registerUserRemoval(deps: Deps): void {
  deps.lifecycle.userRemoved.add(async (db, { id }, { hard, actorId }) => {
    if (!hard) return;
    await withdrawVotes(db, id);
    await db.deleteFrom('award_emoji').where('user_id', '=', id).execute();
    await db.deleteFrom('time_logs').where('user_id', '=', id).execute();
    await removeBelongings(db, 'Note', db.selectFrom('notes').select('id').where('author_id', '=', id));
    await db.deleteFrom('notes').where('author_id', '=', id).execute();
    await destroyIssuesOf(deps, db, id, actorId);
    await destroyMergeRequestsOf(deps, db, id, actorId);
  });
}
