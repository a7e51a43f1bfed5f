import type { Project } from '../db/tables/projects.table.ts';

/** Whether nothing may be written to the project: it is archived, or waits for its deletion. */
export const isFrozen = ({ archived, in_deletion }: Pick<Project, 'archived' | 'in_deletion'>): boolean =>
  archived === 1 || in_deletion === 1;
