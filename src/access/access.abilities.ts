import { AccessLevel, type Visibility } from '../core/access-levels.ts';
import type { FeatureLevel, ProjectFeature } from '../db/tables/projects.table.ts';
import {
  type Circumstances,
  developer,
  guest,
  maintainer,
  owner,
  type Relation,
  type Rule,
  reporter,
} from './ability-rule.ts';
import { isTokenBot, type UserCaller } from './caller.ts';
import { type CreationLevels, GROUP_RULES, type GroupAbility, type GroupRule } from './group-abilities.ts';
import type { InstanceRole } from './instance-abilities.ts';
import { PROJECT_RULES, type ProjectAbility } from './project-abilities.ts';
import { grantsInGroup, grantsInProject, opensFeature, type RolePermissions } from './role-permissions.ts';

export type { GroupAbility, ProjectAbility };

/** The table with the type that the checks need. */
const RULES: Readonly<Record<ProjectAbility, Rule<ProjectAbility>>> = PROJECT_RULES;
const IN_GROUPS: Readonly<Record<GroupAbility, GroupRule>> = GROUP_RULES;

/** Standing of the caller in a project, which decides about abilities. */
export interface ProjectAbilityContext {
  /** Member level; 0 for non-members, 60 for administrators. */
  level: number;
  /** Permissions of custom roles, in addition to the level. */
  rolePermissions: RolePermissions;
  signedIn: boolean;
  external: boolean;
  /** Scopes of a deploy token of this place; empty for other callers. */
  deployScopes: readonly string[];
  visibility: Visibility;
  /** Archived or pending deletion. */
  frozen: boolean;
  featureLevel(feature: ProjectFeature): FeatureLevel;
  /** Whether pipelines and jobs are visible to everyone who can see the project. */
  publicJobs(): boolean;
}

/** Whether non-members can see the project. */
const isOpen = (scope: ProjectAbilityContext): boolean =>
  scope.visibility === 'public' || (scope.visibility === 'internal' && scope.signedIn && !scope.external);

/** Minimum member level for a part of the project that is restricted to members. */
export const privateLevel = (feature: ProjectFeature): number =>
  feature === 'merge_requests' || feature === 'repository' || feature === 'package_registry' ? reporter : guest;

/** Whether a part of the project is accessible to the caller. */
export function featureOpen(scope: ProjectAbilityContext, feature: ProjectFeature): boolean {
  switch (scope.featureLevel(feature)) {
    case 'disabled':
      return false;
    case 'private':
      return scope.level >= privateLevel(feature) || opensFeature(scope.rolePermissions, feature);
    case 'enabled':
      return scope.level >= guest || isOpen(scope);
    case 'public':
      return true;
  }
}

const anyOpen = (scope: ProjectAbilityContext, features: ProjectFeature | readonly ProjectFeature[]): boolean =>
  typeof features === 'string' ? featureOpen(scope, features) : features.some((feature) => featureOpen(scope, feature));

/** Checks the conditions that apply whatever grants the ability. */
function conditionsHold(scope: ProjectAbilityContext, rule: Rule<ProjectAbility>, on: Circumstances): boolean {
  if (rule.writes && rule.whenFrozen !== 'kept' && scope.frozen) return false;
  if (rule.writes && on.sealed) return false;
  if (rule.whenLocked === 'members' && on.locked && scope.level === 0) return false;
  if (rule.feature !== undefined && !anyOpen(scope, rule.feature)) return false;
  if (rule.withPrivateJobs !== undefined && scope.level < rule.withPrivateJobs && !scope.publicJobs()) return false;
  return rule.needs === undefined || allowsInProject(scope, rule.needs);
}

/** Granted by the member level. */
const grantedByRole = ({ level }: { level: number }, rule: Rule): boolean =>
  level >= rule.level || level === rule.alsoAt;

/** Granted by a permission of a custom role. */
const grantedByCustomRole = ({ rolePermissions }: ProjectAbilityContext, ability: ProjectAbility): boolean =>
  grantsInProject(rolePermissions, ability);

/** Granted by the visibility of the project. */
const grantedByVisibility = (scope: ProjectAbilityContext, { open, openToUsers }: Rule): boolean =>
  (open === true || (openToUsers === true && scope.signedIn)) && isOpen(scope);

/** Granted by a public part of the project. */
const grantedByPublicPart = (scope: ProjectAbilityContext, { open, feature }: Rule): boolean =>
  open === true && typeof feature === 'string' && scope.featureLevel(feature) === 'public';

/** Granted by the scope of a deploy token. */
const grantedByScope = ({ deployScopes }: ProjectAbilityContext, { deployScope }: Rule): boolean =>
  deployScope !== undefined && deployScopes.includes(deployScope);

/** Granted by a relation to the object. */
function grantedByRelation(
  scope: ProjectAbilityContext,
  { relations }: Rule<ProjectAbility>,
  on: Circumstances,
): boolean {
  const rule = on.as === undefined ? undefined : relations?.[on.as];
  if (rule === undefined || scope.level < (rule.level ?? 0)) return false;
  return rule.needs === undefined || allowsInProject(scope, rule.needs, { locked: on.locked === true });
}

/** Whether the context grants the ability. Pure. */
export function allowsInProject(
  scope: ProjectAbilityContext,
  ability: ProjectAbility,
  on: Circumstances = {},
): boolean {
  const rule = RULES[ability];
  return (
    conditionsHold(scope, rule, on) &&
    (grantedByRole(scope, rule) ||
      grantedByCustomRole(scope, ability) ||
      grantedByVisibility(scope, rule) ||
      grantedByPublicPart(scope, rule) ||
      grantedByScope(scope, rule) ||
      grantedByRelation(scope, rule, on))
  );
}

/** The relations that can grant an ability. */
export const relationsOf = (ability: ProjectAbility): Relation[] =>
  Object.keys(RULES[ability].relations ?? {}) as Relation[];
/** Whether an ability only reads. */
export const isReading = (ability: ProjectAbility): boolean => RULES[ability].writes !== true;
export interface GroupAbilityContext {
  level: number;
  /** Permissions of custom roles, in addition to the level. */
  rolePermissions: RolePermissions;
  /** Whether the group is a top-level group. */
  top: boolean;
  signedIn: boolean;
  external: boolean;
  visibility: Visibility;
  /** Whether the caller is a member of a project below the group. */
  inside: boolean;
  /** Pending deletion. */
  frozen: boolean;
  creationLevels: CreationLevels;
  /** Access level of the group wiki. */
  wiki: FeatureLevel;
}

/** Levels by the values of `subgroup_creation_level` and `project_creation_level`. */
export const CREATION_LEVELS: Readonly<Record<string, number>> = {
  developer,
  maintainer,
  owner,
  administrator: AccessLevel.admin,
  noone: Number.POSITIVE_INFINITY,
};

const wikiOpen = ({ wiki, level }: GroupAbilityContext): boolean =>
  wiki !== 'disabled' && (wiki !== 'private' || level >= guest);

/** Whether the context grants the ability in a group. Pure. */
export function allowsInGroup(scope: GroupAbilityContext, ability: GroupAbility, on: Circumstances = {}): boolean {
  const rule = IN_GROUPS[ability];
  const { visibility, signedIn } = scope;
  if (rule.writes && rule.whenFrozen !== 'kept' && scope.frozen) return false;
  if (rule.feature === 'wiki' && !wikiOpen(scope)) return false;
  if (scope.level === rule.alsoAt) return true;
  if (scope.level >= (rule.setting === undefined ? rule.level : scope.creationLevels[rule.setting])) return true;
  if (grantsInGroup(scope.rolePermissions, ability, scope.top)) return true;
  if (on.as !== undefined && rule.relations?.[on.as] !== undefined) return true;
  if (rule.inside && scope.inside) return true;
  const open = visibility === 'public' || (visibility === 'internal' && signedIn && !scope.external);
  return open && (rule.open === true || (rule.openToUsers === true && signedIn));
}

/** Whether a group ability only reads. */
export const isReadingInGroup = (ability: GroupAbility): boolean => IN_GROUPS[ability].writes !== true;

/** Whether a signed-in user has an instance role. Pure. */
export function hasInstanceRole({ user, admin }: UserCaller, role: InstanceRole): boolean {
  switch (role) {
    case 'anyone':
    case 'user':
      return true;
    case 'person':
      return !isTokenBot(user);
    case 'internal_user':
      return user.external === 0 || admin;
    case 'administrator':
      return admin;
  }
}
