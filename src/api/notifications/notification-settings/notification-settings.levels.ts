/** Notification levels, with their stored numbers (part 2, section 4.12). */
export const NOTIFICATION_LEVELS = {
  disabled: 0,
  participating: 1,
  watch: 2,
  global: 3,
  mention: 4,
  custom: 5,
} as const;
export type NotificationLevel = keyof typeof NOTIFICATION_LEVELS;

const NAMES = Object.keys(NOTIFICATION_LEVELS) as NotificationLevel[];

export const levelOf = (number: number): NotificationLevel =>
  NAMES.find((name) => NOTIFICATION_LEVELS[name] === number) ?? 'global';

/** Default levels: globally, and of a group or project. */
export const DEFAULT_LEVELS = { user: 'participating', group: 'global', project: 'global' } as const;

/** Events that the level `custom` enables individually, with descriptions. */
export const CUSTOM_EVENTS = {
  new_release: 'A release is created.',
  new_note: 'Somebody comments.',
  new_issue: 'An issue is opened.',
  reopen_issue: 'An issue is reopened.',
  close_issue: 'An issue is closed.',
  reassign_issue: 'The assignees of an issue change.',
  issue_due: 'An issue is due on the next day.',
  new_merge_request: 'A merge request is opened.',
  push_to_merge_request: 'Somebody pushes to a merge request.',
  reopen_merge_request: 'A merge request is reopened.',
  close_merge_request: 'A merge request is closed.',
  reassign_merge_request: 'The assignees of a merge request change.',
  change_reviewer_merge_request: 'The reviewers of a merge request change.',
  merge_merge_request: 'A merge request is merged.',
  failed_pipeline: 'A pipeline fails.',
  fixed_pipeline: 'A pipeline succeeds after the previous one failed.',
  success_pipeline: 'A pipeline succeeds.',
  moved_project: 'The project moves.',
  merge_when_pipeline_succeeds: 'Auto-merge is enabled for a merge request.',
  approver: 'A merge request is opened that the user is eligible to approve.',
} as const;

/** Further events of the Premium plan. */
export const PREMIUM_EVENTS = {
  new_epic: 'An epic is opened; this server has no epics.',
  service_account_failed_pipeline: 'A pipeline of a service account fails.',
  service_account_success_pipeline: 'A pipeline of a service account succeeds.',
  service_account_fixed_pipeline: 'A pipeline of a service account succeeds after the previous one failed.',
} as const;

export type CustomEvent = keyof typeof CUSTOM_EVENTS | keyof typeof PREMIUM_EVENTS;

/** Events that are on by default with the level `custom`. */
export const ON_BY_DEFAULT: readonly CustomEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];
