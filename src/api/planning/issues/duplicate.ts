import type { UserCaller } from '../../../access/caller.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import { closeIssue } from './issues.state.ts';
import { lockIssue } from './issues.update.ts';
import { notifyOtherIssue } from './notify-other-issue.ts';

/** An issue with its project. */
interface Placed {
  issue: Issue;
  project: Pick<Project, 'id' | 'full_path'>;
}

/**
 * Closes an issue as a duplicate of another one, with a system note on both.
 * @throws ApiError 404 if one of them no longer exists
 */
export async function closeAsDuplicate(
  deps: Deps,
  { user }: UserCaller,
  duplicate: Placed,
  original: Placed,
): Promise<void> {
  const path = (of: Placed, from: Placed) => (of.project.id === from.project.id ? '' : of.project.full_path);
  await inTransaction(deps.db, async (db) => {
    const issue = await lockIssue(db, duplicate.issue.id);
    const other = await db.selectFrom('issues').selectAll().where('id', '=', original.issue.id).executeTakeFirst();
    if (other === undefined) throw recordNotFound();
    await db.updateTable('issues').set({ duplicated_to_id: other.id }).where('id', '=', issue.id).execute();
    const of = `${path(original, duplicate)}#${other.iid}`;
    await notifyOtherIssue(deps, db, issue, other, `marked this issue as a duplicate of ${of}`, user.id);
    const by = `${path(duplicate, original)}#${issue.iid}`;
    await notifyOtherIssue(deps, db, other, issue, `marked ${by} as a duplicate of this issue`, user.id);
    await closeIssue(deps, db, issue, user.id);
  });
}
