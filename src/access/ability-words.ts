import type { ProjectFeature } from '../db/tables/projects.table.ts';
import {
  admin,
  developer,
  guest,
  maintainer,
  NO_ROLE,
  owner,
  planner,
  type Relation,
  type Rule,
  reporter,
} from './ability-rule.ts';
import { GROUP_RULES, type GroupAbility, type GroupRule } from './group-abilities.ts';
import { INSTANCE_RULES, type InstanceAbility, type InstanceRole, type InstanceRule } from './instance-abilities.ts';
import { PROJECT_RULES, type ProjectAbility } from './project-abilities.ts';

/** Names of roles in sentences. */
const ROLES: Readonly<Record<number, string>> = {
  [guest]: 'Guest or higher',
  [planner]: 'Planner or higher',
  [reporter]: 'Reporter or higher',
  [developer]: 'Developer or higher',
  [maintainer]: 'Maintainer or higher',
  [owner]: 'Owner',
  [admin]: 'an administrator',
};

/** Names of single roles, without the higher ones. */
const ONE_ROLE: Readonly<Record<number, string>> = { [planner]: 'Planner' };

const RELATIONS: Readonly<Record<Relation, (noun: string) => string>> = {
  author: (noun) => `the author of the ${noun}`,
  self: (noun) => `the ${noun} themselves`,
  bearer: () => 'the bearer of the token',
  assignee: () => 'its assignees',
  collaborator: () => 'users who may push to the source branch through a merge request that allows collaboration',
};

const FEATURES: Partial<Readonly<Record<ProjectFeature, string>>> = {
  builds: 'CI/CD',
  forking: 'forking',
  repository: 'the repository',
};
const featureName = (feature: ProjectFeature): string => FEATURES[feature] ?? feature.replaceAll('_', ' ');

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
const anyOf = (parts: readonly string[]): string =>
  parts.length < 3 ? parts.join(' or ') : `${parts.slice(0, -1).join(', ')}, or ${parts.at(-1)}`;

/** Describes who has an ability by role, visibility or relation: a sentence without its full stop. */
function holders(
  rule: Rule & GroupRule,
  place: 'project' | 'group',
  noun: string | undefined,
  anonymous: boolean,
): string {
  const { level, alsoAt, open, openToUsers, deployScope, relations = {}, setting } = rule;
  const related =
    noun === undefined
      ? []
      : Object.entries(relations).map(([relation, { level = 0 }]) => {
          const words = RELATIONS[relation as Relation](noun);
          return level >= guest ? `${words} (while in the ${place})` : words;
        });
  if (open || openToUsers) {
    const everyone =
      anonymous && open
        ? `everyone who can see the ${place}, signed in or not`
        : `every signed-in user who can see the ${place}`;
    if (level <= guest) return capital(anyOf([...related, everyone]));
    const others = anonymous && open ? 'everyone' : 'every signed-in user';
    return `Needs ${ROLES[level]} in a private ${place}. In other ${place}s: ${others} who can see the ${place}`;
  }
  if (level === NO_ROLE) return capital(anyOf(related));
  const role = setting === undefined ? ROLES[level]! : `the role set by the group (${ROLES[level]} by default)`;
  const deploy = deployScope === undefined ? '' : `, or a deploy token with the scope \`${deployScope}\``;
  const also = alsoAt === undefined ? '' : `${ONE_ROLE[alsoAt]}, or `;
  return related.length === 0
    ? `Needs ${also}${role}${level === admin ? '' : ` in the ${place}`}${deploy}`
    : capital(`${related.join(', ')}, or ${role}`);
}

function sentences(
  rule: Rule & GroupRule,
  place: 'project' | 'group',
  noun: string | undefined,
  anonymous: boolean,
): string {
  const { feature, whenFrozen, whenLocked, writes, further } = rule;
  const features = feature === undefined ? [] : [feature].flat();
  return [
    holders(rule, place, noun, anonymous),
    ...(further === undefined ? [] : [further]),
    ...(features.length === 0 ? [] : [`${capital(anyOf(features.map(featureName)))} must be accessible to the caller`]),
    ...(whenLocked === undefined ? [] : ['Only members while the discussion is locked']),
    ...(writes && whenFrozen !== 'kept'
      ? [
          place === 'project'
            ? 'Nobody while the project is archived or pending deletion'
            : 'Nobody while the group is pending deletion',
        ]
      : []),
  ].join('. ');
}

/**
 * Describes who has an ability in a project, for the OpenAPI document.
 * @param noun type of the object, such as "issue"; absent if the route checks no relations
 * @param anonymous whether the route admits anonymous callers
 * @returns sentences, the last one without its full stop
 */
export const describeProjectAbility = (ability: ProjectAbility, noun?: string, anonymous = false): string =>
  sentences(PROJECT_RULES[ability], 'project', noun, anonymous);

/** Describes who has an ability in a group. */
export const describeGroupAbility = (ability: GroupAbility, noun?: string, anonymous = false): string =>
  sentences(GROUP_RULES[ability], 'group', noun, anonymous);

const INSTANCE_ROLES: Readonly<Record<InstanceRole, string>> = {
  anyone: 'Anyone',
  user: 'Any signed-in user',
  person: 'Any signed-in user except bots of project and group tokens',
  internal_user: 'Any signed-in user who is not external',
  administrator: 'Administrators',
};

/** Describes an instance role. */
export const describeInstanceRole = (role: InstanceRole): string => INSTANCE_ROLES[role];

/** Describes who has an ability outside projects and groups. */
export function describeInstanceAbility(ability: InstanceAbility, noun = 'object'): string {
  const { role, relations, own, further }: InstanceRule = INSTANCE_RULES[ability];
  const who = relations === undefined ? INSTANCE_ROLES[role] : `The owner of the ${noun} or an administrator`;
  return [own ? `${who}, for their own data` : who, ...(further === undefined ? [] : [further])].join('. ');
}
