interface Level {
  access_level: number;
}

/** Protection of the default branch of a new project. */
export interface BranchProtection {
  allowed_to_push: Level[];
  allow_force_push: boolean;
  allowed_to_merge: Level[];
  developer_can_initial_push: boolean;
}

const developer = [{ access_level: 30 }];
const maintainer = [{ access_level: 40 }];

/** Meaning of the numbers of `default_branch_protection`. */
export const PROTECTIONS: readonly BranchProtection[] = [
  protection(developer, developer, { force: true }),
  protection(developer, maintainer),
  protection(maintainer, maintainer),
  protection(maintainer, developer),
  protection(maintainer, maintainer, { initialPush: true }),
];

/** The number for no protection. */
export const UNPROTECTED = 0;

/** The number of the default. */
export const FULLY_PROTECTED = 2;

function protection(push: Level[], merge: Level[], { force = false, initialPush = false } = {}): BranchProtection {
  return {
    allowed_to_push: push,
    allow_force_push: force,
    allowed_to_merge: merge,
    developer_can_initial_push: initialPush,
  };
}

/** The number that stands for the rules; -1 if none does. */
export const protectionNumber = (rules: BranchProtection): number =>
  PROTECTIONS.findIndex((each) => JSON.stringify(each) === JSON.stringify({ ...each, ...rules }));
