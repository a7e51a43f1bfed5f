import type { Project } from '../db/tables/projects.table.ts';

/** Whether the project is read-only: archived or pending deletion. */
export const isFrozen = ({ archived, in_deletion }: Pick<Project, 'archived' | 'in_deletion'>): boolean =>
  archived === 1 || in_deletion === 1;
