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

/** The tables, as what decides reads them. */
const RULES: Readonly<Record<ProjectAbility, Rule<ProjectAbility>>> = PROJECT_RULES;
const IN_GROUPS: Readonly<Record<GroupAbility, GroupRule>> = GROUP_RULES;

/** What decides about an ability: where the caller stands to the project. */
export interface ProjectAbilityContext {
  /** Level by membership, 0 for none; 60 for administrators. */
  level: number;
  /** What custom roles give beside the level. */
  rolePermissions: RolePermissions;
  signedIn: boolean;
  external: boolean;
  /** Scopes of a deploy token of this place; none for everybody else. */
  deployScopes: readonly string[];
  visibility: Visibility;
  /** Archived, or waiting for its deletion. */
  frozen: boolean;
  featureLevel(feature: ProjectFeature): FeatureLevel;
  /** Whether whoever sees the project sees its pipelines and jobs. */
  publicJobs(): boolean;
}

/** Whether people without membership can see the project. */
const isOpen = (scope: ProjectAbilityContext): boolean =>
  scope.visibility === 'public' || (scope.visibility === 'internal' && scope.signedIn && !scope.external);

/** Level from which members use a part of the project that is closed to everyone else. */
export const privateLevel = (feature: ProjectFeature): number =>
  feature === 'merge_requests' || feature === 'repository' || feature === 'package_registry' ? reporter : guest;

/** Whether a part of the project is open to the caller at all. */
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

/** What holds for everybody, whatever grants the ability. */
function conditionsHold(scope: ProjectAbilityContext, rule: Rule<ProjectAbility>, on: Circumstances): boolean {
  if (rule.writes && rule.whenFrozen !== 'kept' && scope.frozen) return false;
  if (rule.writes && on.sealed) return false;
  if (rule.whenLocked === 'members' && on.locked && scope.level === 0) return false;
  if (rule.feature !== undefined && !anyOpen(scope, rule.feature)) return false;
  if (rule.withPrivateJobs !== undefined && scope.level < rule.withPrivateJobs && !scope.publicJobs()) return false;
  return rule.needs === undefined || allowsInProject(scope, rule.needs);
}

/** By the role that the caller has. */
const grantedByRole = ({ level }: { level: number }, rule: Rule): boolean =>
  level >= rule.level || level === rule.alsoAt;

/** By a permission of a custom role. */
const grantedByCustomRole = ({ rolePermissions }: ProjectAbilityContext, ability: ProjectAbility): boolean =>
  grantsInProject(rolePermissions, ability);

/** By being able to see the project, without membership. */
const grantedByVisibility = (scope: ProjectAbilityContext, { open, openToUsers }: Rule): boolean =>
  (open === true || (openToUsers === true && scope.signedIn)) && isOpen(scope);

/** By a part of the project that is open to everybody, whoever sees the project itself. */
const grantedByPublicPart = (scope: ProjectAbilityContext, { open, feature }: Rule): boolean =>
  open === true && typeof feature === 'string' && scope.featureLevel(feature) === 'public';

/** By the scope of a deploy token. */
const grantedByScope = ({ deployScopes }: ProjectAbilityContext, { deployScope }: Rule): boolean =>
  deployScope !== undefined && deployScopes.includes(deployScope);

/** By how the caller stands to the object. */
function grantedByRelation(
  scope: ProjectAbilityContext,
  { relations }: Rule<ProjectAbility>,
  on: Circumstances,
): boolean {
  const rule = on.as === undefined ? undefined : relations?.[on.as];
  if (rule === undefined || scope.level < (rule.level ?? 0)) return false;
  return rule.needs === undefined || allowsInProject(scope, rule.needs, { locked: on.locked === true });
}

/** Whether the standing gives the ability. Pure. */
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

/** How callers can stand to an object so that it gives them the ability. */
export const relationsOf = (ability: ProjectAbility): Relation[] =>
  Object.keys(RULES[ability].relations ?? {}) as Relation[];
/** Whether it changes nothing. */
export const isReading = (ability: ProjectAbility): boolean => RULES[ability].writes !== true;
export interface GroupAbilityContext {
  level: number;
  /** What custom roles give beside the level. */
  rolePermissions: RolePermissions;
  /** Whether there is no group above it. */
  top: boolean;
  signedIn: boolean;
  external: boolean;
  visibility: Visibility;
  /** Whether the caller is a member of a project below the group. */
  inside: boolean;
  /** Waiting for its deletion. */
  frozen: boolean;
  creationLevels: CreationLevels;
  /** Who may use the wiki of the group. */
  wiki: FeatureLevel;
}

/** Levels behind the words of `subgroup_creation_level` and `project_creation_level`. */
export const CREATION_LEVELS: Readonly<Record<string, number>> = {
  developer,
  maintainer,
  owner,
  administrator: AccessLevel.admin,
  noone: Number.POSITIVE_INFINITY,
};

const wikiOpen = ({ wiki, level }: GroupAbilityContext): boolean =>
  wiki !== 'disabled' && (wiki !== 'private' || level >= guest);

/** Whether the standing gives the ability in a group. Pure. */
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

/** Whether it changes nothing. */
export const isReadingInGroup = (ability: GroupAbility): boolean => IN_GROUPS[ability].writes !== true;

/** Whether a signed-in user has one of the roles that are about no project and no group. Pure. */
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
