/** Where variables are kept. */
export type VariableOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance'; id: null };

/** How many variables a place may keep, null where administrators say it; and what they are called where it is too many. */
export const LIMITS = {
  project: { most: 8_000, name: 'project ci variables' },
  group: { most: 30_000, name: 'group ci variables' },
  instance: { most: null, name: 'ci instance level variables' },
} as const;
