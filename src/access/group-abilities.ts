import { developer, guest, maintainer, NO_ROLE, owner, planner, type Rule } from './ability-rule.ts';

/** Settings of a group that give the minimum level for creating subgroups and projects in it. */
export interface CreationLevels {
  subgroup: number;
  project: number;
}

export interface GroupRule extends Rule {
  /** Also granted to members of projects in the group who are not members of the group. */
  inside?: boolean;
  /** The setting of the group that gives the level. */
  setting?: keyof CreationLevels;
}

const OWNED = { level: owner, writes: true, whenFrozen: 'kept' } as const;
const SEEN = { level: guest, open: true, inside: true } as const;
/** Personal actions of everyone who can see the group. */
const OWN_LIST = { level: guest, openToUsers: true, inside: true, writes: true, whenFrozen: 'kept' } as const;

/** Abilities in a group (part 1, section 5). */
export const GROUP_RULES = {
  read_group: SEEN,
  create_subgroup: { level: maintainer, setting: 'subgroup', writes: true },
  create_projects: { level: developer, setting: 'project', writes: true },
  /** Settings that not everyone who can see the group may read. */
  own_group: OWNED,
  update_group: OWNED,
  remove_group: OWNED,
  transfer_group: OWNED,
  share_group: OWNED,
  /** Exports of the group with its content. */
  export_group: OWNED,
  /** Reassignment of imported contributions. */
  admin_placeholder_reassignments: OWNED,
  admin_group_badges: OWNED,
  admin_group_protected_branches: OWNED,
  admin_group_push_rules: OWNED,
  admin_group_service_accounts: OWNED,
  /** Certificate authorities for SSH access to its projects. */
  read_group_ssh_certificates: { level: owner },
  admin_group_ssh_certificates: OWNED,
  /** All audit events of the group. */
  read_group_audit_events: { level: owner },
  /** Audit events of the caller's own changes. */
  read_own_group_audit_events: { level: developer },
  read_group_members: { level: guest, open: true },
  admin_group_members: OWNED,
  admin_group_member_roles: OWNED,
  read_billable_members: { level: owner },
  /** Removes all memberships in and below the group, whatever their level. */
  remove_billable_member: OWNED,
  remove_group_member: { ...OWNED, relations: { self: {} } },
  request_group_access: OWN_LIST,
  update_group_notification_settings: OWN_LIST,
  remove_group_access_request: { ...OWNED, relations: { author: {} } },
  read_group_deploy_tokens: { level: maintainer },
  admin_group_deploy_tokens: OWNED,
  admin_group_access_tokens: OWNED,
  rotate_own_group_access_token: { level: NO_ROLE, relations: { bearer: {} }, writes: true, whenFrozen: 'kept' },
  upload_group_file: { level: guest, writes: true, whenFrozen: 'kept' },
  admin_group_uploads: { level: maintainer, writes: true, whenFrozen: 'kept' },
  read_group_label: SEEN,
  admin_group_label: { level: planner, writes: true },
  follow_group_label: OWN_LIST,
  read_group_milestone: SEEN,
  admin_group_milestone: { level: planner, writes: true },
  admin_group_ci_variables: OWNED,
  admin_group_web_hook: OWNED,
  /** Integrations of the group and everything below it. */
  admin_group_integrations: { level: maintainer, writes: true, whenFrozen: 'kept' },
  read_group_runners: { level: maintainer },
  admin_group_runners: OWNED,
  read_group_wiki: { level: guest, open: true, feature: 'wiki' },
  /** Cloning it. */
  download_group_wiki: { level: planner, open: true, feature: 'wiki' },
  create_group_wiki: { level: developer, alsoAt: planner, feature: 'wiki', writes: true },
  admin_group_wiki: { level: maintainer, alsoAt: planner, feature: 'wiki', writes: true },
  read_group_packages: SEEN,
  read_group_releases: SEEN,
  read_group_issues: SEEN,
  read_group_merge_requests: SEEN,
} as const satisfies Record<string, GroupRule>;
export type GroupAbility = keyof typeof GROUP_RULES;
