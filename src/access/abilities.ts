import { AccessLevel, type Visibility } from '../core/access-levels.ts';
import type { FeatureLevel, ProjectFeature } from '../db/tables/projects.ts';

interface Rule {
  /** Member level that has the ability. */
  level: number;
  /** Also given to people without membership who can see a public project, or (signed in) an internal one. */
  open?: boolean;
  /** As `open`, but never to anonymous callers. */
  openToUsers?: boolean;
  /** Part of the project that must not be closed to the caller; of several, one that is open does. */
  feature?: ProjectFeature | readonly ProjectFeature[];
  /** Not while the project is archived, or waits for its deletion. */
  writes?: boolean;
  /** Another ability that it takes. */
  needs?: 'read_code';
}

const { guest, planner, reporter, developer, maintainer, owner } = AccessLevel;
/** What labels and milestones are for. */
const ISSUABLES = ['issues', 'merge_requests'] as const;

/** Who may do what in a project, in one place (part 1, section 5). */
const PROJECT_RULES = {
  read_project: { level: guest, open: true },
  read_members: { level: guest, open: true },
  read_statistics: { level: reporter },
  star_project: { level: guest, openToUsers: true },
  read_code: { level: reporter, open: true, feature: 'repository' },
  push_code: { level: developer, feature: 'repository', writes: true },
  /** A fork is a copy of the code. */
  fork_project: { level: reporter, openToUsers: true, feature: 'forking', needs: 'read_code' },
  read_issue: { level: guest, open: true, feature: 'issues' },
  /** Issues that are kept from guests, unless they wrote them or they are assigned to them. */
  read_confidential_issues: { level: planner, feature: 'issues' },
  create_issue: { level: guest, openToUsers: true, feature: 'issues', writes: true },
  update_issue: { level: planner, feature: 'issues', writes: true },
  admin_issue: { level: planner, feature: 'issues', writes: true },
  destroy_issue: { level: owner, feature: 'issues', writes: true },
  create_note: { level: guest, openToUsers: true, writes: true },
  admin_note: { level: maintainer, writes: true },
  read_internal_note: { level: planner },
  resolve_note: { level: developer, writes: true },
  read_label: { level: guest, open: true, feature: ISSUABLES },
  admin_label: { level: planner, feature: ISSUABLES, writes: true },
  read_milestone: { level: guest, open: true, feature: ISSUABLES },
  admin_milestone: { level: planner, feature: ISSUABLES, writes: true },
  read_merge_request: { level: reporter, open: true, feature: 'merge_requests' },
  update_merge_request: { level: developer, feature: 'merge_requests', writes: true },
  respond_to_status_checks: { level: developer, feature: 'merge_requests', writes: true },
  destroy_merge_request: { level: owner, feature: 'merge_requests', writes: true },
  read_approval_config: { level: maintainer },
  read_approval_rules: { level: developer, feature: 'merge_requests' },
  admin_approval_rules: { level: maintainer, feature: 'merge_requests', writes: true },
  read_snippet: { level: guest, open: true, feature: 'snippets' },
  create_snippet: { level: reporter, feature: 'snippets', writes: true },
  update_snippet: { level: maintainer, feature: 'snippets', writes: true },
  award_emoji: { level: guest, openToUsers: true, writes: true },
  create_merge_request_from: { level: developer, feature: 'repository', writes: true },
  create_merge_request_in: { level: reporter, openToUsers: true, feature: 'merge_requests', writes: true },
  comment_on_commit: { level: guest, openToUsers: true, feature: 'repository', writes: true },
  read_commit_status: { level: reporter, open: true, feature: 'builds' },
  create_commit_status: { level: developer, feature: 'builds', writes: true },
  admin_protected_refs: { level: maintainer },
  read_protected_refs: { level: developer },
  admin_members: { level: maintainer },
  admin_project: { level: maintainer },
  upload_file: { level: guest, openToUsers: true, writes: true },
  admin_uploads: { level: maintainer },
  admin_deploy_keys: { level: maintainer },
  admin_deploy_tokens: { level: maintainer },
  admin_access_tokens: { level: maintainer },
  own_project: { level: owner },
} as const satisfies Record<string, Rule>;
export type ProjectAbility = keyof typeof PROJECT_RULES;

/** What decides about an ability: where the caller stands to the project. */
export interface ProjectStanding {
  /** Level by membership, 0 for none; 60 for administrators. */
  level: number;
  signedIn: boolean;
  external: boolean;
  visibility: Visibility;
  /** Archived, or waiting for its deletion. */
  frozen: boolean;
  featureLevel(feature: ProjectFeature): FeatureLevel;
}

/** Whether people without membership can see the project. */
const isOpen = (standing: ProjectStanding): boolean =>
  standing.visibility === 'public' || (standing.visibility === 'internal' && standing.signedIn && !standing.external);

/** Level from which members use a part of the project that is closed to everyone else. */
export const privateLevel = (feature: ProjectFeature): number =>
  feature === 'merge_requests' || feature === 'repository' || feature === 'package_registry' ? reporter : guest;

/** Whether a part of the project is open to the caller at all. */
export function featureOpen(standing: ProjectStanding, feature: ProjectFeature): boolean {
  switch (standing.featureLevel(feature)) {
    case 'disabled':
      return false;
    case 'private':
      return standing.level >= privateLevel(feature);
    case 'enabled':
      return standing.level >= guest || isOpen(standing);
    case 'public':
      return true;
  }
}

const anyOpen = (standing: ProjectStanding, features: ProjectFeature | readonly ProjectFeature[]): boolean =>
  typeof features === 'string'
    ? featureOpen(standing, features)
    : features.some((feature) => featureOpen(standing, feature));

/** Whether the standing gives the ability. Pure. */
export function allowsInProject(standing: ProjectStanding, ability: ProjectAbility): boolean {
  const rule: Rule = PROJECT_RULES[ability];
  if (rule.writes && standing.frozen) return false;
  if (rule.feature !== undefined && !anyOpen(standing, rule.feature)) return false;
  if (rule.needs !== undefined && !allowsInProject(standing, rule.needs)) return false;
  if (standing.level >= rule.level) return true;
  if (rule.open && isOpen(standing)) return true;
  return rule.openToUsers === true && standing.signedIn && isOpen(standing);
}

interface GroupRule extends Rule {
  /** Also given to people who are members of a project inside, and of nothing above it. */
  inside?: boolean;
  /** The group itself says from which level on. */
  setting?: keyof GroupStanding['creationLevels'];
}

const GROUP_RULES = {
  read_group: { level: guest, open: true, inside: true },
  read_group_members: { level: guest, open: true },
  create_subgroup: { level: maintainer, setting: 'subgroup', writes: true },
  create_projects: { level: developer, setting: 'project', writes: true },
  admin_group_members: { level: owner },
  read_group_deploy_tokens: { level: maintainer },
  admin_group_deploy_tokens: { level: owner },
  admin_group_access_tokens: { level: owner },
  own_group: { level: owner },
  upload_group_file: { level: guest },
  admin_group_uploads: { level: maintainer },
  read_group_label: { level: guest, open: true, inside: true },
  admin_group_label: { level: planner, writes: true },
  read_group_milestone: { level: guest, open: true, inside: true },
  admin_group_milestone: { level: planner, writes: true },
  read_group_issues: { level: guest, open: true, inside: true },
  read_group_merge_requests: { level: guest, open: true, inside: true },
} as const satisfies Record<string, GroupRule>;
export type GroupAbility = keyof typeof GROUP_RULES;

export interface GroupStanding {
  level: number;
  signedIn: boolean;
  external: boolean;
  visibility: Visibility;
  /** Whether the caller is a member of a project below the group. */
  inside: boolean;
  /** Waiting for its deletion. */
  frozen: boolean;
  /** Levels from which on members may create subgroups and projects. */
  creationLevels: { subgroup: number; project: number };
}

/** Levels behind the words of `subgroup_creation_level` and `project_creation_level`. */
export const CREATION_LEVELS: Readonly<Record<string, number>> = {
  developer,
  maintainer,
  owner,
  administrator: AccessLevel.admin,
  noone: Number.POSITIVE_INFINITY,
};

/** Whether the standing gives the ability in a group. Pure. */
export function allowsInGroup(standing: GroupStanding, ability: GroupAbility): boolean {
  const rule: GroupRule = GROUP_RULES[ability];
  if (rule.writes && standing.frozen) return false;
  if (standing.level >= (rule.setting === undefined ? rule.level : standing.creationLevels[rule.setting])) return true;
  if (rule.inside && standing.inside) return true;
  const open =
    standing.visibility === 'public' || (standing.visibility === 'internal' && standing.signedIn && !standing.external);
  return rule.open === true && open;
}
