import { developer, guest, maintainer, NO_ROLE, owner, planner, type Rule } from './ability-rule.ts';

/** Levels from which on members of a group may create subgroups and projects in it, as the group says. */
export interface CreationLevels {
  subgroup: number;
  project: number;
}

export interface GroupRule extends Rule {
  /** Also granted to people who are members of a project inside, and of nothing above it. */
  inside?: boolean;
  /** The group itself says from which level on. */
  setting?: keyof CreationLevels;
}

const OWNED = { level: owner, writes: true, whenFrozen: 'kept' } as const;
const SEEN = { level: guest, open: true, inside: true } as const;
/** What everyone does for themselves where they can see something. */
const OWN_LIST = { level: guest, openToUsers: true, inside: true, writes: true, whenFrozen: 'kept' } as const;

/** Who may do what in a group, in one place (part 1, section 5). */
export const GROUP_RULES = {
  read_group: SEEN,
  create_subgroup: { level: maintainer, setting: 'subgroup', writes: true },
  create_projects: { level: developer, setting: 'project', writes: true },
  /** What settings show and hold beside what everyone sees. */
  own_group: OWNED,
  update_group: OWNED,
  remove_group: OWNED,
  transfer_group: OWNED,
  share_group: OWNED,
  /** All that is in it, to be taken elsewhere. */
  export_group: OWNED,
  /** Who is given what people of other servers wrote. */
  admin_placeholder_reassignments: OWNED,
  admin_group_badges: OWNED,
  admin_group_protected_branches: OWNED,
  admin_group_push_rules: OWNED,
  admin_group_service_accounts: OWNED,
  /** Authorities whose SSH certificates open its projects. */
  read_group_ssh_certificates: { level: owner },
  admin_group_ssh_certificates: OWNED,
  /** What was changed in it, and by whom. */
  read_group_audit_events: { level: owner },
  /** What the caller changed themselves. */
  read_own_group_audit_events: { level: developer },
  read_group_members: { level: guest, open: true },
  admin_group_members: OWNED,
  admin_group_member_roles: OWNED,
  read_billable_members: { level: owner },
  /** With all of their memberships below, whatever their level. */
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
  /** Other programs that it, and all that is below it, works with. */
  admin_group_integrations: { level: maintainer, writes: true, whenFrozen: 'kept' },
  read_group_runners: { level: maintainer },
  admin_group_runners: OWNED,
  read_group_wiki: { level: guest, open: true, feature: 'wiki' },
  /** To clone it. */
  download_group_wiki: { level: planner, open: true, feature: 'wiki' },
  create_group_wiki: { level: developer, alsoAt: planner, feature: 'wiki', writes: true },
  admin_group_wiki: { level: maintainer, alsoAt: planner, feature: 'wiki', writes: true },
  read_group_packages: SEEN,
  read_group_releases: SEEN,
  read_group_issues: SEEN,
  read_group_merge_requests: SEEN,
} as const satisfies Record<string, GroupRule>;
export type GroupAbility = keyof typeof GROUP_RULES;
