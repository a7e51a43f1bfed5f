import type { ProjectPermissions } from '../../../access/permissions.ts';

/** What a caller may decide about an issue beside its title, description and state. */
export interface IssueRights {
  /** Labels, people, milestone, dates, weight, confidentiality and the lock: Planners and up, members at its making. */
  manage: boolean;
  /** Times and number of its making: owners. */
  backdate: boolean;
}

/** What the caller may decide about an issue that they make: members, guests too, give it labels, people and dates then. */
export const rightsOnCreation = (permissions: ProjectPermissions): IssueRights => ({
  manage: permissions.can('set_new_issue_metadata'),
  backdate: permissions.can('own_project'),
});

/** What the caller may decide about an issue that they may change. */
export const rightsOn = (permissions: ProjectPermissions): IssueRights => ({
  manage: permissions.can('admin_issue'),
  backdate: permissions.can('own_project'),
});
