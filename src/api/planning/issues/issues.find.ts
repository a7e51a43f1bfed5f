import type { Caller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { isAssignee } from '../issuables/issuables.access.ts';

/** Project of an issue, with the caller and their permissions. */
export interface IssueScope {
  project: Project;
  permissions: ProjectPermissions;
  caller: Caller;
}

/**
 * Whether the caller may read the issue. Confidential issues are visible to Planners and above, author and assignees.
 */
export async function canReadIssue(
  db: Db,
  { permissions, caller }: Omit<IssueScope, 'project'>,
  issue: Pick<Issue, 'id' | 'confidential' | 'author_id'>,
): Promise<boolean> {
  if (!permissions.can('read_issue')) return false;
  if (issue.confidential === 0 || permissions.can('read_confidential_issues')) return true;
  if (caller.user === null) return false;
  return issue.author_id === caller.user.id || isAssignee(db, 'Issue', issue.id, caller.user.id);
}

const issueOfNumber = prepared((db, { project, iid }: { project: number; iid: number }) =>
  db.selectFrom('issues').selectAll().where('project_id', '=', project).where('iid', '=', iid),
);

/**
 * Finds an issue of the project by its number.
 * @throws ApiError 404 if it does not exist or the caller may not read it
 */
export async function findIssue(db: Db, scope: IssueScope, iid: number): Promise<Issue> {
  const [issue] = await issueOfNumber(db, { project: scope.project.id, iid });
  if (issue === undefined || !(await canReadIssue(db, scope, issue))) throw recordNotFound();
  return issue;
}
