import type { ProjectFeature } from '../db/tables/projects.table.ts';
import { developer, maintainer, owner, type Rule } from './ability-rule.ts';
import { GROUP_RULES, type GroupAbility } from './group-abilities.ts';
import { PROJECT_RULES, type ProjectAbility } from './project-abilities.ts';

/** What a permission of a custom role grants to members in addition to their level. */
interface RolePermissionRule {
  /** Abilities in projects. Their conditions still apply: an accessible part of a project that is not frozen. */
  project?: readonly ProjectAbility[];
  /** Abilities in groups. */
  group?: readonly GroupAbility[];
  /** Group abilities only apply in subgroups, not in top-level groups. */
  subgroupsOnly?: true;
  /**
   * A part of the project that is accessible with the permission even if it is restricted to members of a higher level.
   */
  opens?: ProjectFeature;
  /** Another permission that is required, unless the level includes it. */
  needs?: string;
  /**
   * The permission concerns features without endpoints on this server: it is only stored and shown. The level that
   * would include it.
   */
  unusedFrom?: number;
}

/**
 * The permissions of custom roles (part 2, section 2, "Member role") and the abilities they grant.
 * `test/rights/member-roles.tsv` lists the routes that they open.
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

/** The permissions of all custom roles of a user in one place. */
export type RolePermissions = ReadonlySet<RolePermission>;
export const NO_PERMISSIONS: RolePermissions = new Set();

/** Combined result of all memberships of a user that apply in a project or group. */
export interface EffectiveMembership {
  /** The highest level; 0 for none, 60 for administrators. */
  level: number;
  /** The permissions of all their custom roles. */
  permissions: RolePermissions;
}

/** A membership with a level and no custom role; level 0 is a non-member. */
export const atLevel = (level: number): EffectiveMembership => ({ level, permissions: NO_PERMISSIONS });

const isRolePermission = (name: string): name is RolePermission => Object.hasOwn(PERMISSIONS, name);

/** Permissions by the names stored in the database; unknown names of other versions are ignored. */
export function rolePermissions(names: readonly (string | null)[]): RolePermissions {
  const known = names.filter((name) => name !== null).filter(isRolePermission);
  return known.length === 0 ? NO_PERMISSIONS : new Set(known);
}

/** Abilities with the permissions that grant them. */
function grants<Ability extends string>(
  abilities: (rule: RolePermissionRule) => readonly Ability[] | undefined,
): ReadonlyMap<Ability, readonly RolePermission[]> {
  const grantedBy = new Map<Ability, RolePermission[]>();
  for (const permission of ROLE_PERMISSIONS) {
    for (const ability of abilities(RULES[permission]) ?? []) {
      grantedBy.set(ability, [...(grantedBy.get(ability) ?? []), permission]);
    }
  }
  return grantedBy;
}

const IN_PROJECTS = grants(({ project }) => project);
const IN_GROUPS = grants(({ group }) => group);
const OPENING = grants(({ opens }) => (opens === undefined ? undefined : [opens]));
const NONE: readonly RolePermission[] = [];

/** The permissions that grant a project ability; none for most. */
const grantingInProject = (ability: ProjectAbility): readonly RolePermission[] => IN_PROJECTS.get(ability) ?? NONE;

/** Whether one of the permissions grants the ability in a project. Pure. */
export const grantsInProject = (held: RolePermissions, ability: ProjectAbility): boolean =>
  held.size > 0 && grantingInProject(ability).some((permission) => held.has(permission));

/** Whether one of the permissions grants the ability in a group. @param top whether it is a top-level group */
export const grantsInGroup = (held: RolePermissions, ability: GroupAbility, top: boolean): boolean =>
  held.size > 0 &&
  (IN_GROUPS.get(ability) ?? NONE).some(
    (permission) => held.has(permission) && !(top && RULES[permission].subgroupsOnly === true),
  );

/** The permissions that open a part of a project restricted to members of a higher level. */
export const openingPermissions = (feature: ProjectFeature): readonly RolePermission[] => OPENING.get(feature) ?? NONE;

/** Whether one of the permissions opens such a part. Pure. */
export const opensFeature = (held: RolePermissions, feature: ProjectFeature): boolean =>
  held.size > 0 && openingPermissions(feature).some((permission) => held.has(permission));

const IN_PROJECT: Readonly<Record<ProjectAbility, Rule>> = PROJECT_RULES;
const IN_GROUP: Readonly<Record<GroupAbility, Rule>> = GROUP_RULES;

/** The level that includes everything the permission grants in a place; for groups also in all their projects. */
function heldFrom(permission: RolePermission, place: 'project' | 'group'): number {
  const { project = [], group = [], unusedFrom = 0 } = RULES[permission];
  const rules: Rule[] = project.map((ability) => IN_PROJECT[ability]);
  if (place === 'group') rules.push(...group.map((ability) => IN_GROUP[ability]));
  return Math.max(unusedFrom, ...rules.map(({ level }) => level));
}

/** Missing prerequisites of a role's permissions: pairs of a permission and the one it requires. Pure. */
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

/** Whether a standing includes another one in a place: level and permissions. Pure. */
export const covers = (own: EffectiveMembership, other: EffectiveMembership, place: 'project' | 'group'): boolean =>
  own.level >= other.level &&
  [...other.permissions].every(
    (permission) => own.permissions.has(permission) || own.level >= heldFrom(permission, place),
  );
