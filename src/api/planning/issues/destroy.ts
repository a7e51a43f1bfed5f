import { issueFacts } from '../../../core/event-facts.ts';
import { removeBelongings } from '../../../db/removal.ts';
import type { Db } from '../../../db/schema.ts';
import type { Issue } from '../../../db/tables/issues.ts';
import type { Deps } from '../../../deps.ts';

/** Removes an issue with all that belongs to it. */
export async function destroyIssue(deps: Deps, issue: Issue, actorId: number): Promise<void> {
  const { id, iid, project_id, title } = issue;
  await deps.db.transaction().execute(async (db: Db) => {
    await removeBelongings(db, 'Issue', [id]);
    for (const column of ['moved_to_id', 'duplicated_to_id'] as const) {
      await db
        .updateTable('issues')
        .set({ [column]: null })
        .where(column, '=', id)
        .execute();
    }
    await db.deleteFrom('issues').where('id', '=', id).execute();
    const payload = { issue_id: id, project_id, iid, title, issue: issueFacts(issue) };
    await deps.events.record(db, 'issue.destroyed', payload, { projectId: project_id, actorId });
  });
}
