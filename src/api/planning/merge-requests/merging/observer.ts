import type { Db } from '../../../../db/schema.ts';
import type { Deps } from '../../../../deps.ts';
import type { RefObserver } from '../../../../repositories/ref-observers.ts';
import { cancelAutoMerge } from './auto-merge.ts';
import { dropUnlock, keepApprovals } from './lock.ts';
import { enqueueRemoval } from './remove-source.ts';

const HEADS = 'refs/heads/';
const BATCH = 500;

/**
 * With the transaction that records a merge, what follows from it: the source branch goes, nothing is left to unlock.
 * With that of a push, an automatic merge of what the branch was before is taken back.
 */
export const observeMerging =
  (deps: Deps): RefObserver =>
  async (_repo, { holder, cause, userId, updates }) => {
    if (holder.type !== 'project') return null;
    const moved = updates.flatMap(({ ref, new: oid }) =>
      ref.startsWith(HEADS) && oid !== null ? [ref.slice(HEADS.length)] : [],
    );
    return async (db) => {
      if (cause?.type === 'merge') {
        await dropUnlock(deps, db, cause.merge_request_id);
        await keepApprovals(db, cause.merge_request_id);
        await enqueueRemoval(deps, db, cause.merge_request_id, userId);
      }
      await abortAutoMerges(deps, db, holder.id, moved, userId);
    };
  };

async function abortAutoMerges(
  deps: Deps,
  db: Db,
  projectId: number,
  branches: readonly string[],
  userId: number | null,
): Promise<void> {
  for (let at = 0; at < branches.length; at += BATCH) {
    const rows = await db
      .selectFrom('merge_requests')
      .select(['id', 'author_id'])
      .where('source_project_id', '=', projectId)
      .where('source_branch', 'in', branches.slice(at, at + BATCH))
      .where('state', '=', 'opened')
      .where('auto_merge', '=', 1)
      .orderBy('id')
      .execute();
    for (const row of rows) {
      const text = 'aborted the automatic merge because source branch was updated';
      await cancelAutoMerge(deps, db, row, { userId: userId ?? row.author_id, text });
    }
  }
}
