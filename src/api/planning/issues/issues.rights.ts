import type { ProjectPermissions } from '../../../access/permissions.ts';

/** Rights on attributes of an issue, beyond title, description and state. */
export interface IssueRights {
  /**
   * Labels, assignees, milestone, dates, weight, confidentiality and lock: Planners and above, any member at creation.
   */
  manage: boolean;
  /** Number and times of creation and update: owners. */
  backdate: boolean;
}

/** Rights on a new issue: all members, guests included, may set labels, assignees and dates. */
export const rightsOnCreation = (permissions: ProjectPermissions): IssueRights => ({
  manage: permissions.can('set_new_issue_metadata'),
  backdate: permissions.can('own_project'),
});

/** Rights on an existing issue that the caller may change. */
export const rightsOn = (permissions: ProjectPermissions): IssueRights => ({
  manage: permissions.can('admin_issue'),
  backdate: permissions.can('own_project'),
});
