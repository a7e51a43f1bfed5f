/** Roles and their numbers (part 1, section 5). */
export const AccessLevel = {
  none: 0,
  minimal: 5,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
  admin: 60,
} as const;

const ROLE_NAMES: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
};

/** Name of the role of a level. */
export const roleName = (level: number): string => ROLE_NAMES[level] ?? 'No access';

/** Levels a member can hold. */
export const MEMBER_LEVELS: readonly number[] = [5, 10, 15, 20, 30, 40, 50];

/** Values of `project_creation_level`, by their numbers in application settings and group archives. */
export const PROJECT_CREATION_LEVELS = ['noone', 'maintainer', 'developer', 'administrator', 'owner'] as const;
/** Values of `subgroup_creation_level`, by their numbers. */
export const SUBGROUP_CREATION_LEVELS = ['owner', 'maintainer'] as const;

export const VISIBILITIES = ['private', 'internal', 'public'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Openness of a visibility for comparisons: private 0, internal 10, public 20. */
export const visibilityLevel = (visibility: Visibility): number => VISIBILITIES.indexOf(visibility) * 10;
