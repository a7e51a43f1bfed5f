import type { UserCaller } from '../../../access/caller.ts';
import { isFrozen } from '../../../access/frozen.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { Db } from '../../../db/schema.ts';
import type { Issue } from '../../../db/tables/issues.ts';
import type { Project } from '../../../db/tables/projects.ts';

/** What a caller may change about an issue that he can read. */
export interface IssueRights {
  /** Title, description and state: Planners and up, the author, and members it is assigned to. */
  edit: boolean;
  /** Labels, people, milestone, dates, weight, confidentiality and the lock: Planners and up, members at its making. */
  manage: boolean;
  /** Times and number of its making: owners. */
  backdate: boolean;
}

interface Standing {
  project: Project;
  permissions: ProjectPermissions;
  caller: UserCaller;
}

/** What the caller may decide about an issue that he makes: members, guests too, give it labels, people and dates then. */
export const rightsOnCreation = ({ permissions }: Standing): IssueRights => ({
  edit: true,
  manage: permissions.level >= AccessLevel.guest,
  backdate: permissions.can('own_project'),
});

/** What the caller may change about the issue. */
export async function rightsOn(db: Db, { project, permissions, caller }: Standing, issue: Issue): Promise<IssueRights> {
  const takesPart = async () =>
    !isFrozen(project) &&
    (issue.author_id === caller.user.id || (permissions.level > 0 && (await isAssignee(db, issue, caller.user.id))));
  return {
    edit: permissions.can('update_issue') || (await takesPart()),
    manage: permissions.can('admin_issue'),
    backdate: permissions.can('own_project'),
  };
}

async function isAssignee(db: Db, { id }: Issue, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('issuable_assignees')
    .select('user_id')
    .where('issuable_type', '=', 'Issue')
    .where('issuable_id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}
