import { issueFacts } from '../../../core/event-facts.ts';
import type { Issue as IssueRow } from '../../../db/tables/issues.table.ts';
import type { IssuableKind } from '../issuables/issuables.kind.ts';
import { findIssue } from './issues.find.ts';
import { Issue } from './issues.responses.ts';
import { presentIssues } from './issues.views.ts';

/** Issues in the endpoints shared with merge requests. */
export const ISSUE_KIND: IssuableKind<IssueRow> = {
  type: 'Issue',
  table: 'issues',
  param: 'issue_iid',
  noun: 'an issue',
  read: 'read_issue',
  manage: 'admin_issue',
  follow: 'follow_issue',
  schema: Issue,
  find: (deps, scope, iid) => findIssue(deps.db, scope, iid),
  present: async (deps, { caller, project }, row) => {
    const [json] = await presentIssues(deps, caller, [row], { from: { project }, subscribed: true });
    return json!;
  },
  recordUpdate: async (deps, db, { id, project_id }, changes, actorId) => {
    const row = await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const payload = { issue_id: id, project_id, issue: issueFacts(row), changes };
    await deps.events.record(db, 'issue.updated', payload, { projectId: project_id, actorId });
  },
};
