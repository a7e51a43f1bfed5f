import { issueFacts } from '../../../core/event-facts.ts';
import { removeBelongings } from '../../../db/db.removal.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';

/** Maximum number of issues to delete per statement. */
const BATCH = 500;

/** Deletes an issue with everything that belongs to it. */
export async function destroyIssue(deps: Deps, issue: Issue, actorId: number): Promise<void> {
  await deps.db.transaction().execute((db) => destroyIssues(deps, db, [issue], actorId));
}

/** Deletes the issues of an author with everything that belongs to them, within a transaction. */
export async function destroyIssuesOf(deps: Deps, db: Db, authorId: number, actorId: number): Promise<void> {
  const theirs = db.selectFrom('issues').selectAll().where('author_id', '=', authorId).orderBy('id').limit(BATCH);
  for (let issues = await theirs.execute(); issues.length > 0; issues = await theirs.execute()) {
    await destroyIssues(deps, db, issues, actorId);
  }
}

async function destroyIssues(deps: Deps, db: Db, issues: readonly Issue[], actorId: number): Promise<void> {
  const ids = issues.map(({ id }) => id);
  await removeBelongings(db, 'Issue', ids);
  for (const column of ['moved_to_id', 'duplicated_to_id'] as const) {
    await db
      .updateTable('issues')
      .set({ [column]: null })
      .where(column, 'in', ids)
      .execute();
  }
  await db.deleteFrom('issues').where('id', 'in', ids).execute();
  for (const issue of issues) {
    const { id, iid, project_id, title } = issue;
    const payload = { issue_id: id, project_id, iid, title, issue: issueFacts(issue) };
    await deps.events.record(db, 'issue.destroyed', payload, { projectId: project_id, actorId });
  }
}
