import type { ProjectFeature } from '../db/tables/projects.table.ts';
import { developer, maintainer, owner, type Rule } from './ability-rule.ts';
import { GROUP_RULES, type GroupAbility } from './group-abilities.ts';
import { PROJECT_RULES, type ProjectAbility } from './project-abilities.ts';

/** What a permission of a custom role gives to members beside their level. */
interface RolePermissionRule {
  /** Abilities in projects. Their conditions hold as for everybody: a part of the project that is open, one that does not stand still. */
  project?: readonly ProjectAbility[];
  /** Abilities in groups. */
  group?: readonly GroupAbility[];
  /** Of the abilities in groups: not in those at the top of a tree. */
  subgroupsOnly?: true;
  /** A part of the project that is open to those who have the permission, where it is kept to members of a higher level. */
  opens?: ProjectFeature;
  /** Another permission that it takes, unless the level has that one anyway. */
  needs?: string;
  /** It names something that this server has no endpoints for: it is kept and shown. The level that would have it. */
  unusedFrom?: number;
}

/**
 * The permissions of custom roles (part 2, section 2, "Member role"): which abilities each grants, in one place. Which routes these
 * open stands in `test/rights/member-roles.tsv`.
 */
const PERMISSIONS = {
  admin_cicd_variables: { project: ['admin_ci_variables'], group: ['admin_group_ci_variables'] },
  admin_compliance_framework: { unusedFrom: owner },
  admin_group_member: { group: ['admin_group_members', 'remove_group_member', 'remove_group_access_request'] },
  admin_integrations: { project: ['admin_integrations'], group: ['admin_group_integrations'] },
  admin_merge_request: {
    project: [
      'read_merge_request',
      'follow_merge_request',
      'admin_merge_request',
      'approve_merge_request',
      'merge_merge_request',
      'cancel_automatic_merge',
    ],
    opens: 'merge_requests',
    needs: 'read_code',
  },
  admin_push_rules: { project: ['admin_push_rules'], group: ['admin_group_push_rules'] },
  admin_terraform_state: { project: ['read_terraform_state', 'admin_terraform_state'] },
  admin_vulnerability: { unusedFrom: maintainer, needs: 'read_vulnerability' },
  admin_web_hook: { project: ['admin_web_hook'], group: ['admin_group_web_hook'] },
  archive_project: { project: ['archive_project'] },
  manage_deploy_tokens: {
    project: ['admin_deploy_tokens'],
    group: ['read_group_deploy_tokens', 'admin_group_deploy_tokens'],
  },
  manage_group_access_tokens: { group: ['admin_group_access_tokens'] },
  manage_merge_request_settings: {
    project: ['configure_merge_requests', 'read_approval_config', 'read_approval_rules', 'admin_approval_rules'],
  },
  manage_project_access_tokens: { project: ['admin_access_tokens'] },
  manage_security_policy_link: { unusedFrom: owner },
  read_code: { project: ['read_code'], opens: 'repository' },
  read_runners: { project: ['read_runners'], group: ['read_group_runners'] },
  read_dependency: { unusedFrom: developer },
  read_vulnerability: { unusedFrom: developer },
  remove_group: { group: ['remove_group'], subgroupsOnly: true },
  remove_project: { project: ['remove_project'] },
} as const satisfies Record<string, RolePermissionRule>;

export type RolePermission = keyof typeof PERMISSIONS;
export const ROLE_PERMISSIONS = Object.keys(PERMISSIONS) as RolePermission[];
const RULES: Readonly<Record<RolePermission, RolePermissionRule>> = PERMISSIONS;

/** The permissions that somebody has in one place by all their roles there. */
export type RolePermissions = ReadonlySet<RolePermission>;
export const NO_PERMISSIONS: RolePermissions = new Set();

/** What a user is in a project or group by all their memberships that count there. */
export interface EffectiveMembership {
  /** The highest level, 0 for none; 60 stands for administrators. */
  level: number;
  /** What their custom roles give beside it, all of them together. */
  permissions: RolePermissions;
}

/** Who has a level and no custom role; 0 is nobody. */
export const atLevel = (level: number): EffectiveMembership => ({ level, permissions: NO_PERMISSIONS });

const isRolePermission = (name: string): name is RolePermission => Object.hasOwn(PERMISSIONS, name);

/** Permissions by the names that a database holds; what it holds from another version is none. */
export function rolePermissions(names: readonly (string | null)[]): RolePermissions {
  const known = names.filter((name) => name !== null).filter(isRolePermission);
  return known.length === 0 ? NO_PERMISSIONS : new Set(known);
}

/** Abilities, each with the permissions that grant it. */
function grants<Ability extends string>(
  abilities: (rule: RolePermissionRule) => readonly Ability[] | undefined,
): ReadonlyMap<Ability, readonly RolePermission[]> {
  const found = new Map<Ability, RolePermission[]>();
  for (const permission of ROLE_PERMISSIONS) {
    for (const ability of abilities(RULES[permission]) ?? []) {
      found.set(ability, [...(found.get(ability) ?? []), permission]);
    }
  }
  return found;
}

const IN_PROJECTS = grants(({ project }) => project);
const IN_GROUPS = grants(({ group }) => group);
const OPENING = grants(({ opens }) => (opens === undefined ? undefined : [opens]));
const NONE: readonly RolePermission[] = [];

/** The permissions that grant an ability in projects; none for most. */
const grantingInProject = (ability: ProjectAbility): readonly RolePermission[] => IN_PROJECTS.get(ability) ?? NONE;

/** Whether one of the permissions grants the ability in a project. Pure. */
export const grantsInProject = (held: RolePermissions, ability: ProjectAbility): boolean =>
  held.size > 0 && grantingInProject(ability).some((permission) => held.has(permission));

/** The same in a group. @param top whether the group has none above it */
export const grantsInGroup = (held: RolePermissions, ability: GroupAbility, top: boolean): boolean =>
  held.size > 0 &&
  (IN_GROUPS.get(ability) ?? NONE).some(
    (permission) => held.has(permission) && !(top && RULES[permission].subgroupsOnly === true),
  );

/** The permissions that open a part of a project which is kept to members of a higher level. */
export const openingPermissions = (feature: ProjectFeature): readonly RolePermission[] => OPENING.get(feature) ?? NONE;

/** Whether one of the permissions opens such a part. Pure. */
export const opensFeature = (held: RolePermissions, feature: ProjectFeature): boolean =>
  held.size > 0 && openingPermissions(feature).some((permission) => held.has(permission));

const IN_PROJECT: Readonly<Record<ProjectAbility, Rule>> = PROJECT_RULES;
const IN_GROUP: Readonly<Record<GroupAbility, Rule>> = GROUP_RULES;

/** The level whose members have all that the permission grants in a place, for those of a group in all of its projects too. */
function heldFrom(permission: RolePermission, place: 'project' | 'group'): number {
  const { project = [], group = [], unusedFrom = 0 } = RULES[permission];
  const rules: Rule[] = project.map((ability) => IN_PROJECT[ability]);
  if (place === 'group') rules.push(...group.map((ability) => IN_GROUP[ability]));
  return Math.max(unusedFrom, ...rules.map(({ level }) => level));
}

/** What the permissions of a role lack: pairs of a permission and another one that it takes. Pure. */
export function missingPermissions(
  level: number,
  held: RolePermissions,
): { permission: RolePermission; needs: RolePermission }[] {
  return [...held].flatMap((permission) => {
    const needs = RULES[permission].needs as RolePermission | undefined;
    if (needs === undefined || level >= heldFrom(needs, 'project') || held.has(needs)) return [];
    return [{ permission, needs }];
  });
}

/** Whether somebody has in a place all that others have there: level and permissions. Pure. */
export const covers = (own: EffectiveMembership, other: EffectiveMembership, place: 'project' | 'group'): boolean =>
  own.level >= other.level &&
  [...other.permissions].every(
    (permission) => own.permissions.has(permission) || own.level >= heldFrom(permission, place),
  );
