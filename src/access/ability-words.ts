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

/** Role of a level, as a sentence says it. */
const ROLES: Readonly<Record<number, string>> = {
  [guest]: 'Guest or higher',
  [planner]: 'Planner or higher',
  [reporter]: 'Reporter or higher',
  [developer]: 'Developer or higher',
  [maintainer]: 'Maintainer or higher',
  [owner]: 'Owner',
  [admin]: 'an administrator',
};

/** The role of a level alone. */
const ONE_ROLE: Readonly<Record<number, string>> = { [planner]: 'Planner' };

const RELATIONS: Readonly<Record<Relation, (noun: string) => string>> = {
  author: (noun) => `the author of the ${noun}`,
  self: (noun) => `the ${noun} themselves`,
  bearer: () => 'whoever sends the token itself',
  assignee: () => 'its assignees',
  collaborator: () => 'those with whom a merge request shares its source branch',
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

/** Who has what a rule gives, by relations, role or being able to see the place: a sentence without its full stop. */
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
    return `Needs ${ROLES[level]} in a private ${place}; in any other ${others} who can see it may`;
  }
  if (level === NO_ROLE) return capital(anyOf(related));
  const role =
    setting === undefined
      ? ROLES[level]!
      : `the role that the group asks for (${ROLES[level]} unless it says otherwise)`;
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
    ...(features.length === 0 ? [] : [`${capital(anyOf(features.map(featureName)))} must be open to them`]),
    ...(whenLocked === undefined ? [] : ['Members alone while the discussion is locked']),
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
 * Who has an ability in a project, for the OpenAPI document.
 * @param noun what it is used on, "issue" for one; absent where the route asks for no relations
 * @param anonymous whether the route lets anonymous callers in
 * @returns sentences, the last one without its full stop
 */
export const whoInProject = (ability: ProjectAbility, noun?: string, anonymous = false): string =>
  sentences(PROJECT_RULES[ability], 'project', noun, anonymous);

/** The same of an ability in a group. */
export const whoInGroup = (ability: GroupAbility, noun?: string, anonymous = false): string =>
  sentences(GROUP_RULES[ability], 'group', noun, anonymous);

const INSTANCE_ROLES: Readonly<Record<InstanceRole, string>> = {
  anyone: 'Anyone',
  user: 'Any signed-in user',
  person: 'Any signed-in user but the bot of a project or group token',
  internal_user: 'Any signed-in user who is not external',
  administrator: 'Administrators',
};

/** Who has one of these roles, in the same words. */
export const whoOnServer = (role: InstanceRole): string => INSTANCE_ROLES[role];

/** Who has an ability outside projects and groups. */
export function whoOnInstance(ability: InstanceAbility, noun = 'object'): string {
  const { role, relations, own, further }: InstanceRule = INSTANCE_RULES[ability];
  const who = relations === undefined ? INSTANCE_ROLES[role] : `The owner of the ${noun} or an administrator`;
  return [own ? `${who}, for what is their own` : who, ...(further === undefined ? [] : [further])].join('. ');
}
