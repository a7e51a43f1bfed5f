/** Owner of variables: the instance, a group or a project. */
export type VariableOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance'; id: null };

/** Maximum number of variables per owner, null if administrators set it, and their name in the error. */
export const LIMITS = {
  project: { max: 8_000, name: 'project ci variables' },
  group: { max: 30_000, name: 'group ci variables' },
  instance: { max: null, name: 'ci instance level variables' },
} as const;
