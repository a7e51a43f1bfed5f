/** How much somebody wants to be mailed of, by the numbers that are kept (part 2, section 4.12). */
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

/** Those who have said nothing: everywhere, and in one place. */
export const DEFAULT_LEVELS = { user: 'participating', group: 'global', project: 'global' } as const;

/** Events that the level `custom` switches on and off one by one, with what they mean. */
export const CUSTOM_EVENTS = {
  new_release: 'A release is made.',
  new_note: 'Somebody comments.',
  new_issue: 'An issue is opened.',
  reopen_issue: 'An issue is opened again.',
  close_issue: 'An issue is closed.',
  reassign_issue: 'An issue gets other assignees.',
  issue_due: 'An issue is due on the next day.',
  new_merge_request: 'A merge request is opened.',
  push_to_merge_request: 'Somebody pushes to a merge request.',
  reopen_merge_request: 'A merge request is opened again.',
  close_merge_request: 'A merge request is closed.',
  reassign_merge_request: 'A merge request gets other assignees.',
  change_reviewer_merge_request: 'A merge request gets other reviewers.',
  merge_merge_request: 'A merge request is merged.',
  failed_pipeline: 'A pipeline fails.',
  fixed_pipeline: 'A pipeline succeeds where the one before it failed.',
  success_pipeline: 'A pipeline succeeds.',
  moved_project: 'The project moves.',
  merge_when_pipeline_succeeds: 'A merge request is set to be merged once all checks have passed.',
  approver: 'A merge request is opened that an approval rule lets them approve.',
} as const;

/** Further ones of the plan Premium. */
export const PREMIUM_EVENTS = {
  new_epic: 'An epic is opened; there are none on this server.',
  service_account_failed_pipeline: 'A pipeline of a service account fails.',
  service_account_success_pipeline: 'A pipeline of a service account succeeds.',
  service_account_fixed_pipeline: 'A pipeline of a service account succeeds where the one before it failed.',
} as const;

export type CustomEvent = keyof typeof CUSTOM_EVENTS | keyof typeof PREMIUM_EVENTS;

/** Events that whoever has chosen `custom` is mailed of unless they switch them off. */
export const ON_BY_DEFAULT: readonly CustomEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];
