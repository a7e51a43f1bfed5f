/** Triggers of hooks, as in the names of their flags: the flag `push_events` enables the trigger `push`. */
export const TRIGGERS = [
  'push',
  'tag_push',
  'issues',
  'confidential_issues',
  'note',
  'confidential_note',
  'merge_requests',
  'job',
  'pipeline',
  'wiki_page',
  'deployment',
  'feature_flag',
  'releases',
  'milestone',
  'emoji',
  'resource_access_token',
  'resource_deploy_token',
  'vulnerability',
  'member',
  'subgroup',
  'project',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Triggers of system hooks; `always` has no flag. */
export type SystemTrigger = 'push' | 'tag_push' | 'merge_requests' | 'repository_update' | 'always';

/** `X-Gitlab-Event` by trigger. */
export const HEADERS = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issues: 'Issue Hook',
  confidential_issues: 'Confidential Issue Hook',
  note: 'Note Hook',
  confidential_note: 'Confidential Note Hook',
  merge_requests: 'Merge Request Hook',
  job: 'Job Hook',
  pipeline: 'Pipeline Hook',
  wiki_page: 'Wiki Page Hook',
  deployment: 'Deployment Hook',
  feature_flag: 'Feature Flag Hook',
  releases: 'Release Hook',
  milestone: 'Milestone Hook',
  emoji: 'Emoji Hook',
  resource_access_token: 'Resource Access Token Hook',
  resource_deploy_token: 'Resource Deploy Token Hook',
  vulnerability: 'Vulnerability Hook',
  member: 'Member Hook',
  subgroup: 'Subgroup Hook',
  project: 'Project Hook',
} as const satisfies Record<Trigger, string>;
export type HookHeader = (typeof HEADERS)[Trigger];

/** A payload, sent as JSON. */
export type Payload = Readonly<Record<string, unknown>>;

/**
 * A payload for hooks. Exactly one of `projectId` and `groupId` is set: the hooks of this owner and its ancestor groups
 * receive it.
 */
export interface HookEvent {
  trigger: Trigger;
  header: HookHeader;
  projectId: number | null;
  groupId: number | null;
  /** Name of the branch for pushes to branches, for filters. */
  branch?: string;
  payload: Payload;
}

/** A payload for system hooks. */
export interface SystemEvent {
  trigger: SystemTrigger;
  header: 'System Hook';
  /** Name of the branch for pushes to branches, for filters. */
  branch?: string;
  payload: Payload;
}

/** Owner of a hook. */
export type HookOwner = { projectId: number } | { groupId: number };
