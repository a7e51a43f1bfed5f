import { AccessLevel, type Visibility } from '../core/access-levels.ts';
import type { FeatureLevel, ProjectFeature } from '../db/tables/projects.ts';
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
export interface ProjectStanding {
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
      return standing.level >= privateLevel(feature) || opensFeature(standing.rolePermissions, feature);
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

/** What holds for everybody, whatever grants the ability. */
function conditionsHold(standing: ProjectStanding, rule: Rule<ProjectAbility>, on: Circumstances): boolean {
  if (rule.writes && rule.whenFrozen !== 'kept' && standing.frozen) return false;
  if (rule.writes && on.sealed) return false;
  if (rule.whenLocked === 'members' && on.locked && standing.level === 0) return false;
  if (rule.feature !== undefined && !anyOpen(standing, rule.feature)) return false;
  if (rule.withPrivateJobs !== undefined && standing.level < rule.withPrivateJobs && !standing.publicJobs())
    return false;
  return rule.needs === undefined || allowsInProject(standing, rule.needs);
}

/** By the role that the caller has. */
const grantedByRole = ({ level }: { level: number }, rule: Rule): boolean =>
  level >= rule.level || level === rule.alsoAt;

/** By a permission of a custom role. */
const grantedByCustomRole = ({ rolePermissions }: ProjectStanding, ability: ProjectAbility): boolean =>
  grantsInProject(rolePermissions, ability);

/** By being able to see the project, without membership. */
const grantedByVisibility = (standing: ProjectStanding, { open, openToUsers }: Rule): boolean =>
  (open === true || (openToUsers === true && standing.signedIn)) && isOpen(standing);

/** By a part of the project that is open to everybody, whoever sees the project itself. */
const grantedByPublicPart = (standing: ProjectStanding, { open, feature }: Rule): boolean =>
  open === true && typeof feature === 'string' && standing.featureLevel(feature) === 'public';

/** By the scope of a deploy token. */
const grantedByScope = ({ deployScopes }: ProjectStanding, { deployScope }: Rule): boolean =>
  deployScope !== undefined && deployScopes.includes(deployScope);

/** By how the caller stands to the object. */
function grantedByRelation(standing: ProjectStanding, { relations }: Rule<ProjectAbility>, on: Circumstances): boolean {
  const rule = on.as === undefined ? undefined : relations?.[on.as];
  if (rule === undefined || standing.level < (rule.level ?? 0)) return false;
  return rule.needs === undefined || allowsInProject(standing, rule.needs, { locked: on.locked === true });
}

/** Whether the standing gives the ability. Pure. */
export function allowsInProject(standing: ProjectStanding, ability: ProjectAbility, on: Circumstances = {}): boolean {
  const rule = RULES[ability];
  return (
    conditionsHold(standing, rule, on) &&
    (grantedByRole(standing, rule) ||
      grantedByCustomRole(standing, ability) ||
      grantedByVisibility(standing, rule) ||
      grantedByPublicPart(standing, rule) ||
      grantedByScope(standing, rule) ||
      grantedByRelation(standing, rule, on))
  );
}

/** How callers can stand to an object so that it gives them the ability. */
export const relationsOf = (ability: ProjectAbility): Relation[] =>
  Object.keys(RULES[ability].relations ?? {}) as Relation[];
/** Whether it changes nothing. */
export const isReading = (ability: ProjectAbility): boolean => RULES[ability].writes !== true;
export interface GroupStanding {
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

const wikiOpen = ({ wiki, level }: GroupStanding): boolean =>
  wiki !== 'disabled' && (wiki !== 'private' || level >= guest);

/** Whether the standing gives the ability in a group. Pure. */
export function allowsInGroup(standing: GroupStanding, ability: GroupAbility, on: Circumstances = {}): boolean {
  const rule = IN_GROUPS[ability];
  const { visibility, signedIn } = standing;
  if (rule.writes && rule.whenFrozen !== 'kept' && standing.frozen) return false;
  if (rule.feature === 'wiki' && !wikiOpen(standing)) return false;
  if (standing.level === rule.alsoAt) return true;
  if (standing.level >= (rule.setting === undefined ? rule.level : standing.creationLevels[rule.setting])) return true;
  if (grantsInGroup(standing.rolePermissions, ability, standing.top)) return true;
  if (on.as !== undefined && rule.relations?.[on.as] !== undefined) return true;
  if (rule.inside && standing.inside) return true;
  const open = visibility === 'public' || (visibility === 'internal' && signedIn && !standing.external);
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
