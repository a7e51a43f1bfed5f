import { removeBelongings } from '../../../db/removal.ts';
import { withdrawVotes } from '../../../db/votes.ts';
import type { Deps } from '../../../deps.ts';

/** Has comments and votes go with a user: votes always, comments where he is removed with all that he wrote. */
export function takePartInUserRemoval(deps: Deps): void {
  deps.lifecycle.userRemoved.add(async (db, { id }, { hard }) => {
    await withdrawVotes(db, id);
    if (!hard) return;
    await removeBelongings(db, 'Note', db.selectFrom('notes').select('id').where('author_id', '=', id));
    await db.deleteFrom('notes').where('author_id', '=', id).execute();
  });
}
